(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(type_definition name: (_) @name) @definition.type
(extension_definition parameters: (parameters (parameter type: (_) @name))) @definition.impl
(given_definition name: (_) @name) @definition.property

(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function

(template_body
  (val_definition pattern: (identifier) @name value: (_) @body) @definition.property)
(compilation_unit
  (val_definition pattern: (identifier) @name value: (_) @body) @definition.constant)

; munit, scalatest, scalacheck, specs2
(call_expression
  function: (call_expression
    function: (identifier) @_case
    arguments: (arguments . (string) @name))
  arguments: (block) @body
  (#any-of? @_case "test" "describe" "it" "feature" "scenario" "property")) @definition.test
(assignment_expression
  left: (call_expression
    function: (identifier) @_case
    arguments: (arguments . (string) @name))
  right: (_) @body
  (#eq? @_case "property")) @definition.test
(infix_expression
  left: [(string) (infix_expression left: [(string) (identifier)])] @name
  operator: (_) @_case
  right: (block) @body
  (#any-of? @_case "in" "should" "when" "can" "must" "-")) @definition.test

(package_clause name: (_) @export)
(import_declaration) @import @path

(comment) @comment
(block_comment) @comment
(string) @string
(character_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter name: (identifier) @local type: (_)? @type)
(val_definition pattern: (identifier) @local type: (_)? @type value: (_) @value)
(var_definition pattern: (identifier) @local type: (_)? @type value: (_) @value)
(tuple_pattern (identifier) @local)
(typed_pattern pattern: (identifier) @local type: (_) @type)
(case_class_pattern pattern: (identifier) @local)
(case_clause pattern: (identifier) @local)
(enumerator . (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(binding name: (identifier) @local type: (_)? @type)

; Bases, members, results and names of arguments; see grammar.py.
(extends_clause type: (_) @base)
(template_body (val_definition pattern: (identifier) @property type: (_)? @type))
(class_parameter name: (_) @field type: (_) @type)
(function_definition name: (_) @result return_type: (_) @type)
(function_declaration name: (_) @result return_type: (_) @type)
(arguments (assignment_expression left: (identifier) @key))
