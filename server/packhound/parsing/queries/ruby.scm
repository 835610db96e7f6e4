(class
  name: (_) @name
  body: (_)? @body) @definition.class
(module
  name: (_) @name
  body: (_)? @body) @definition.module

(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(call
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  block: (_) @body
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.method

; Point = Struct.new(:x) do ... end
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant)
    method: (identifier) @_new
    block: (_) @body)
  (#any-of? @_new "new" "define")) @definition.class

; rspec, minitest/spec, Rails
(call
  method: (identifier) @_case
  arguments: (argument_list . (_) @name)
  block: (_) @body
  (#any-of? @_case
    "describe" "context" "it" "specify" "test" "should" "feature" "scenario" "xit" "fit"
    "shared_examples" "shared_context")) @definition.test

(call
  method: (identifier) @_task
  arguments: (argument_list . (_) @name)
  block: (_) @body
  (#any-of? @_task "task" "multitask")) @definition.function

(program (assignment left: (constant) @name right: (_) @body) @definition.constant)
(body_statement (assignment left: (constant) @name right: (_) @body) @definition.constant)

(call
  method: (identifier) @_require
  arguments: (argument_list . (string) @import @all)
  (#any-of? @_require "require" "require_relative" "load" "autoload"))

(comment) @comment
(string_content) @string
(heredoc_content) @string

; Local names, with the type or the value that is stated for them.
(method_parameters [
  (identifier) @local
  (optional_parameter name: (identifier) @local)
  (splat_parameter name: (identifier) @local)
  (keyword_parameter name: (identifier) @local)
  (block_parameter name: (identifier) @local)
  (hash_splat_parameter name: (identifier) @local)
])
(block_parameters [(identifier) @local (optional_parameter name: (identifier) @local)])
(lambda_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(assignment left: (identifier) @local right: (_) @value)
(operator_assignment left: (identifier) @local right: (_) @value)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(superclass (_) @base)
(call
  !receiver
  method: (identifier) @_mixin
  arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_mixin "include" "extend" "prepend"))
(assignment left: (instance_variable) @field right: (_) @value)
(operator_assignment left: (instance_variable) @field right: (_) @value)
(return (argument_list . (_) @return .))
(hash_key_symbol) @key
