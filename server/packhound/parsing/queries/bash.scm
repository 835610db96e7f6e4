(function_definition
  name: (_) @name
  body: (_) @body) @definition.function

(program
  (variable_assignment
    name: (_) @name
    value: (_) @body) @definition.constant)
(program
  (declaration_command
    (variable_assignment
      name: (_) @name
      value: (_) @body)) @definition.constant)

(command
  name: (command_name) @_source
  argument: (_) @import
  (#any-of? @_source "source" "." "load" "bats_load_library"))

(comment) @comment
(string_content) @string
(raw_string) @string
(ansi_c_string) @string
(heredoc_body) @string
