(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function

(call
  function: (identifier) @_define
  arguments: (arguments . argument: (argument value: (string) @name) . (_)? @body)
  (#any-of? @_define "setClass" "setRefClass")) @definition.class
(binary_operator
  lhs: (identifier) @name
  operator: ["<-" "="]
  rhs: (call
    function: [(identifier) @_define (namespace_operator rhs: (identifier) @_define)]
    arguments: (arguments) @body)
  (#any-of? @_define "R6Class" "setRefClass" "new_class")) @definition.class
(call
  function: (identifier) @_define
  arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_define "setGeneric" "setMethod" "setValidity")) @definition.method
(argument
  name: (identifier) @name
  value: (function_definition body: (braced_expression) @body)) @definition.method

(call
  function: (identifier) @_case
  arguments: (arguments . argument: (argument value: (string) @name) . (_) . (_) @body)
  (#any-of? @_case "test_that" "describe" "it")) @definition.test

(program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "="]
    rhs: (_) @body) @definition.constant)

(call
  function: (identifier) @_import
  arguments: (arguments . argument: (argument value: [(identifier) (string)] @import))
  (#any-of? @_import "library" "require" "source" "requireNamespace"))

(comment) @comment
(string_content) @string

(argument name: (_) @key)
(binary_operator lhs: (identifier) @key operator: "=")
