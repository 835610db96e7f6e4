(type_declaration) @wrap

(function_declaration
  name: (identifier) @name) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (_) @scope)
        (pointer_type (type_identifier) @scope)
        (pointer_type (generic_type type: (_) @scope))
      ]))
  name: (field_identifier) @name) @definition.method

(type_spec
  name: (_) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (_) @name
  type: (interface_type)) @definition.interface

(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type

; Exported; a group of constants is called after its first.
(source_file
  (const_declaration . (const_spec . name: (identifier) @name) .) @definition.one_liner
  (#match? @name "^[A-Z]"))
(source_file
  (var_declaration . (var_spec . name: (identifier) @name)) @definition.one_liner
  (#match? @name "^[A-Z]"))
(source_file
  (var_declaration
    (var_spec_list
      (var_spec . name: (identifier) @name) @definition.one_liner))
  (#match? @name "^[A-Z]"))

(source_file
  (const_declaration . (const_spec . name: (identifier) @name)) @definition.constant)

(source_file
  (var_declaration . (var_spec . name: (identifier) @name)) @definition.constant)

(source_file
  (var_declaration
    (var_spec_list
      (var_spec . name: (identifier) @name) @definition.constant)))

(import_spec !name path: (_) @import @alias)
(import_spec name: (package_identifier) @alias path: (_) @import)
(import_spec name: (dot) @all path: (_) @import)
(import_spec name: (blank_identifier) path: (_) @import)
(package_clause (_) @export)

(comment) @comment
(interpreted_string_literal_content) @string
(raw_string_literal_content) @string
(rune_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter_declaration name: (identifier) @local type: (_) @type)
(variadic_parameter_declaration name: (identifier) @local type: (_) @type)
(var_spec name: (identifier) @local type: (_)? @type)
(var_spec . name: (identifier) @local value: (_) @value)
(short_var_declaration left: (expression_list . (identifier) @local) right: (_) @value)
(short_var_declaration left: (expression_list (_) (identifier) @local))
(range_clause left: (expression_list . (identifier) @local))
(range_clause left: (expression_list (_) . (identifier) @local) right: (_) @value)
(type_switch_statement alias: (expression_list (identifier) @local))

; Bases, members, results and names of arguments; see grammar.py.
(field_declaration name: (_) @field type: (_) @type)
(field_declaration !name type: (_) @base)
(field_declaration
  !name
  type: [(type_identifier) @field (qualified_type name: (_) @field)] @type)
(interface_type (type_elem . (_) @base .))
(interface_type (method_elem name: (_) @field))
(_
  name: [(identifier) (field_identifier)] @result
  result: [
    (parameter_list . (parameter_declaration type: (_) @type))
    (type_identifier) @type
    (qualified_type) @type
    (generic_type) @type
    (pointer_type) @type
    (slice_type) @type
  ])
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type) (struct_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @key))))
(literal_element (literal_value (keyed_element key: (literal_element (identifier) @key))))
