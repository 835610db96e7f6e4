(class_declaration
  "enum"
  (type_identifier) @name
  [(enum_class_body) (class_body)]? @body) @definition.enum
(class_declaration
  "interface"
  (type_identifier) @name
  (class_body)? @body) @definition.interface
(class_declaration
  (type_identifier) @name
  [(class_body) (enum_class_body)]? @body) @definition.class
(object_declaration
  (type_identifier) @name
  (class_body)? @body) @definition.class
(type_alias . (type_identifier) @name) @definition.type

(function_declaration
  receiver: (receiver_type) @scope
  (simple_identifier) @name
  .
  (function_value_parameters)
  (function_body)? @body) @definition.function
(function_declaration
  (simple_identifier) @name
  .
  (function_value_parameters)
  (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name) @definition.method
(anonymous_initializer "init" @name) @definition.property

; An accessor on a line of its own stands beside its property.
(_
  (property_declaration
    receiver: (receiver_type) @scope
    (variable_declaration (simple_identifier) @name)) @definition.function
  .
  [(getter) (setter)] @tail)
(_
  (property_declaration
    (variable_declaration (simple_identifier) @name)) @definition.property
  .
  [(getter) (setter)] @tail)
(property_declaration
  receiver: (receiver_type) @scope
  (variable_declaration (simple_identifier) @name)
  [(getter) (setter) (property_delegate)]? @body) @definition.function
(property_declaration
  (variable_declaration (simple_identifier) @name)
  [(getter) (setter) (property_delegate)] @body) @definition.property
(property_declaration
  (modifiers (property_modifier) @_modifier)
  (variable_declaration (simple_identifier) @name)
  (#eq? @_modifier "const")) @definition.one_liner
(source_file
  (property_declaration
    (variable_declaration (simple_identifier) @name)) @definition.constant)
(class_body
  (property_declaration
    (variable_declaration (simple_identifier) @name)) @definition.property)

; kotest, spek
(call_expression
  (call_expression
    (simple_identifier) @_case
    (call_suffix (value_arguments . (value_argument (string_literal) @name))))
  (call_suffix (annotated_lambda (lambda_literal) @body))
  (#any-of? @_case "test" "describe" "it" "context" "should" "feature" "scenario")) @definition.test

(package_header (identifier) @export)
(import_header (identifier) @import @path .)
(import_header (identifier) @import (wildcard_import) @all)
(import_header (identifier) @import @path (import_alias (type_identifier) @alias))

(line_comment) @comment
(multiline_comment) @comment
(string_content) @string
(character_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter (simple_identifier) @local (_) @type)
(property_declaration (variable_declaration (simple_identifier) @local . (_)? @type) . (_)? @value)
(variable_declaration (simple_identifier) @local . (_)? @type)
(catch_block (simple_identifier) @local (_) @type)

; Bases, members, results and names of arguments; see grammar.py.
(delegation_specifier [
  (user_type) @base
  (constructor_invocation (user_type) @base)
  (explicit_delegation (user_type) @base)
])
(class_body
  (property_declaration (variable_declaration (simple_identifier) @property . (_)? @type)))
(class_parameter (simple_identifier) @field . (_) @type)
(function_declaration
  (simple_identifier) @result
  .
  (function_value_parameters)
  .
  [(user_type) (nullable_type)] @type)
(value_argument . (simple_identifier) @key . "=")
