(variable_declaration) @wrap

(function_declaration
  name: (_) @name
  body: (_)? @body) @definition.function

(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function

(field
  name: (_) @name
  value: (function_definition body: (_)? @body)) @definition.method

; busted, mini.test
(function_call
  name: (identifier) @_case
  arguments: (arguments
    . (string) @name
    (function_definition body: (_)? @body))
  (#any-of? @_case "describe" "it" "test" "context" "insulate" "pending")) @definition.test

(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (_) @name .)
      (expression_list . value: (_) @body)) @definition.constant))
(chunk
  (assignment_statement
    (variable_list . name: (_) @name .)
    (expression_list . value: (_) @body)) @definition.constant)

(function_call
  name: (identifier) @_require
  arguments: (arguments . (string) @import)
  (#any-of? @_require "require" "dofile"))
(assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list
    . value: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string) @import)))
  (#eq? @_require "require"))

; local read = require("file").read
(assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list
    . value: (dot_index_expression
      table: (function_call
        name: (identifier) @_require
        arguments: (arguments . (string) @import))
      field: (identifier) @name))
  (#eq? @_require "require"))

(comment) @comment
(string_content) @string

; Local names, with the type or the value that is stated for them.
(parameters name: (identifier) @local)
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @local)
    (expression_list . value: (_) @value)))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(variable_declaration (variable_list name: (identifier) @local))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @_self field: (_) @field))
  (expression_list . value: (_) @value)
  (#eq? @_self "self"))
(return_statement (expression_list . (_) @return .))
(field name: (identifier) @key)
