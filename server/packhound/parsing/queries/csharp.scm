(namespace_declaration name: (_) @name) @namespace

(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(delegate_declaration name: (_) @name) @definition.type

(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(local_function_statement name: (_) @name) @definition.function
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method

(property_declaration
  name: (_) @name
  accessors: (accessor_list) @body) @definition.property
(property_declaration
  name: (_) @name
  value: (_) @body) @definition.property
(indexer_declaration
  "this" @name
  accessors: (accessor_list) @body) @definition.property

(field_declaration
  (modifier) @_modifier
  (variable_declaration
    (variable_declarator
      name: (_) @name
      (_)? @body .))
  (#any-of? @_modifier "static" "const")) @definition.one_liner

(attribute_list) @attribute

(using_directive !name [(qualified_name) (identifier)] @import @all)
(using_directive name: (_) @alias (qualified_name) @import @path)

(comment) @comment
(string_literal_content) @string
(string_content) @string
(verbatim_string_literal) @string
(raw_string_literal) @string
(character_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter type: (_)? @type name: (identifier) @local)
(variable_declaration
  type: (_) @type
  (variable_declarator name: (identifier) @local . (_)? @value))
(foreach_statement type: (_) @type left: (identifier) @local)
(catch_declaration type: (_) @type name: (identifier) @local)
(declaration_pattern type: (_) @type name: (identifier) @local)
(declaration_expression type: (_) @type name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)

; Bases, members, results and names of arguments; see grammar.py.
(base_list (_) @base)
(property_declaration type: (_) @type name: (_) @property)
(method_declaration returns: (_) @type name: (_) @result)
(local_function_statement type: (_) @type name: (_) @result)
(argument name: (_) @key)
