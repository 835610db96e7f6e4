(expression_statement) @wrap

(namespace_definition
  name: (_) @name
  body: (_)) @namespace

(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(method_declaration name: (_) @name) @definition.method
(function_definition name: (_) @name) @definition.function

(assignment_expression
  left: (variable_name (name) @name)
  right: [
    (anonymous_function body: (_) @body)
    (arrow_function body: (_) @body)
  ]) @definition.function

; Pest
(function_call_expression
  function: (name) @_case
  arguments: (arguments
    . (argument (string) @name)
    (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))
  (#any-of? @_case "it" "test" "describe")) @definition.test

(const_declaration (const_element . (name) @name (_) @body)) @definition.constant
(property_declaration
  (static_modifier)
  (property_element name: (variable_name (name) @name))) @definition.constant

(namespace_definition name: (_) @export)
(namespace_use_clause . (qualified_name) @import @path alias: (_)? @alias)
(namespace_use_declaration (namespace_use_clause . (name) @import @path alias: (_)? @alias))
(namespace_use_declaration
  (namespace_name) @import
  body: (namespace_use_group
    (namespace_use_clause . [(name) (namespace_name)] @name alias: (_)? @alias)))
(namespace_use_group (namespace_use_clause . (name) @import))
(require_expression (string (string_content) @import))
(require_once_expression (string (string_content) @import))
(require_once_expression (binary_expression right: (string (string_content) @import)))
(include_expression (string (string_content) @import))
(include_once_expression (string (string_content) @import))

(comment) @comment
(string_content) @string
(heredoc_body (string_content) @string)
(nowdoc_body) @string
(text) @string

; Local names, with the type or the value that is stated for them.
(simple_parameter type: (_)? @type name: (variable_name) @local)
(variadic_parameter name: (variable_name) @local)
(property_promotion_parameter type: (_)? @type name: (variable_name) @local)
(assignment_expression left: (variable_name) @local right: (_) @value)
(list_literal (variable_name) @local)
(foreach_statement (_) (variable_name) @local)
(foreach_statement (_) (pair (variable_name) @local))
(catch_clause type: (_) @type name: (variable_name) @local)

; Bases, members, results and names of arguments; see grammar.py.
(base_clause (_) @base)
(class_interface_clause (_) @base)
(use_declaration (_) @base)
(property_declaration
  type: (_)? @type
  (property_element name: (variable_name (name) @field)))
(property_promotion_parameter type: (_) @type name: (variable_name (name) @field))
(assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name) @field)
  right: (_) @value
  (#eq? @_this "$this"))
(method_declaration name: (_) @result return_type: (_) @type)
(function_definition name: (_) @result return_type: (_) @type)
(return_statement (_) @return)
(argument name: (_) @key)
