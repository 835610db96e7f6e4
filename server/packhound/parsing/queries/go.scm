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

; A group of constants is called after its first.
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
