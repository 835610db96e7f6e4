(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum

(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(compact_constructor_declaration name: (_) @name) @definition.method

(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator
    name: (_) @name
    value: (_) @body)
  (#not-eq? @name "serialVersionUID")) @definition.one_liner
(field_declaration
  (modifiers "static")
  declarator: (variable_declarator
    name: (_) @name
    value: (_) @body)) @definition.constant

(package_declaration [(identifier) (scoped_identifier)] @export)
(import_declaration [(scoped_identifier) (identifier)] @import (asterisk) @all)
(import_declaration (scoped_identifier) @import @path . ";")

(line_comment) @comment
(block_comment) @comment
(string_fragment) @string
(multiline_string_fragment) @string
(character_literal) @string

; Local names, with the type or the value that is stated for them.
(formal_parameter type: (_) @type name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local)) @type
(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (identifier) @local value: (_)? @value))
(enhanced_for_statement type: (_) @type name: (identifier) @local)
(resource type: (_) @type name: (identifier) @local value: (_) @value)
(catch_formal_parameter (catch_type (_) @type) name: (identifier) @local)
(instanceof_expression right: (_) @type name: (identifier) @local)
(inferred_parameters (identifier) @local)
(lambda_expression parameters: (identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(type_parameter . (_) @generic (type_bound . (_) @type))
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @field))
(method_declaration type: (_) @type name: (_) @result)
