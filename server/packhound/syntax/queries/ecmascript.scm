; What JavaScript and TypeScript have in common.

(export_statement) @wrap
(lexical_declaration) @wrap
(variable_declaration) @wrap
(expression_statement) @wrap

; Suites and cases of mocha, jest, vitest, node:test and their like.
(call_expression
  function: [
    (identifier) @_callee
    (member_expression object: (identifier) @_callee)
    (call_expression function: (identifier) @_callee)
    (call_expression function: (member_expression object: (identifier) @_callee))
  ]
  arguments: (arguments
    . [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#any-of? @_callee
    "describe" "it" "test" "suite" "context" "specify" "bench" "fdescribe" "xdescribe" "fit" "xit"
    "Deno" "QUnit")) @definition.test

(function_declaration
  name: (identifier) @name
  body: (_) @body) @definition.function

(generator_function_declaration
  name: (identifier) @name
  body: (_) @body) @definition.function

(class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(method_definition
  name: (_) @name
  body: (_) @body) @definition.method

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function

(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class

(pair
  key: (_) @name
  value: [
    (arrow_function body: (statement_block) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

; module.exports = function named() {}
(assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: [
    (function_expression name: (identifier)? @name body: (_) @body)
    (arrow_function body: (_) @body)
  ]
  (#eq? @_module "module")
  (#eq? @_exports "exports")) @definition.function

(assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: (class name: (_)? @name body: (_) @body)
  (#eq? @_module "module")
  (#eq? @_exports "exports")) @definition.class

; exports.x = function () {}, Foo.prototype.bar = function () {}, Foo.bar = () => {}
(assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

(assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (_) @name)
  right: (class body: (_) @body)) @definition.class

(assignment_expression
  left: (identifier) @name
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.function

; defineGetter(req, 'protocol', function protocol() {})
(program
  (expression_statement
    (call_expression
      arguments: (arguments
        (function_expression name: (identifier) @name body: (_) @body))) @definition.function))

; Default exports without a name are called after their file.
(export_statement
  value: [
    (arrow_function body: (_) @body)
    (function_expression name: (identifier)? @name body: (_) @body)
  ]) @definition.function

(export_statement
  value: (class name: (_)? @name body: (_) @body)) @definition.class

(program
  (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: (_) @body) @definition.constant))

(program
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      value: (_) @body) @definition.constant))

(export_statement
  (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: (_) @body) @definition.constant))

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @import)
  (#eq? @_require "require"))
(call_expression
  function: (import)
  arguments: (arguments . (string) @import))

(comment) @comment
(string_fragment) @string
(regex) @string
