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
