(class_declaration
  declaration_kind: "extension"
  name: (_) @name) @definition.impl
(class_declaration
  declaration_kind: "struct"
  name: (_) @name) @definition.struct
(class_declaration
  declaration_kind: "enum"
  name: (_) @name) @definition.enum
(class_declaration name: (_) @name) @definition.class
(protocol_declaration name: (_) @name) @definition.interface
(source_file (typealias_declaration name: (type_identifier) @name) @definition.type)

(function_declaration name: _ @name body: (_)? @body) @definition.function
(protocol_function_declaration name: _ @name) @definition.function
(init_declaration "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro

(property_declaration
  name: (pattern bound_identifier: (_) @name)
  computed_value: (_) @body) @definition.property
(class_body
  (property_declaration
    name: (pattern bound_identifier: (_) @name)) @definition.property)
(enum_class_body
  (property_declaration
    name: (pattern bound_identifier: (_) @name)) @definition.property)
(protocol_body
  (protocol_property_declaration
    name: (pattern bound_identifier: (_) @name)) @definition.property)
(source_file
  (property_declaration
    name: (pattern bound_identifier: (_) @name)) @definition.constant)

(import_declaration (identifier) @import)

(comment) @comment
(multiline_comment) @comment
(line_str_text) @string
(multi_line_str_text) @string
(raw_string_literal) @string
(regex_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter name: (simple_identifier) @local name: (_) @type)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @local)
  (type_annotation (_) @type))
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @local)
  value: (_) @value)
(pattern bound_identifier: (simple_identifier) @local)
(pattern (pattern (simple_identifier) @local))
(if_statement bound_identifier: (simple_identifier) @local)
(guard_statement bound_identifier: (simple_identifier) @local)
(lambda_parameter (simple_identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(inheritance_specifier inherits_from: (_) @base)
(class_body
  (property_declaration
    name: (pattern bound_identifier: (_) @property)
    (type_annotation (_) @type)?))
(protocol_property_declaration
  name: (pattern bound_identifier: (_) @property)
  (type_annotation (_) @type)?)
(assignment
  target: (directly_assignable_expression
    (navigation_expression
      target: (self_expression)
      suffix: (navigation_suffix suffix: (_) @field)))
  result: (_) @value)
(function_declaration
  name: (simple_identifier) @result
  name: [(user_type) (optional_type)] @type)
(protocol_function_declaration
  name: (simple_identifier) @result
  name: [(user_type) (optional_type)] @type)
(value_argument_label (simple_identifier) @key)
