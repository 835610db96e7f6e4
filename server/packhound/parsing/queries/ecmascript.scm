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
    (call_expression function: [
      (identifier) @_callee
      (member_expression object: (identifier) @_callee)
    ])
  ]
  arguments: (arguments
    . [(string) (template_string)] @name
    [(arrow_function) (function_expression)] @value)
  (#any-of? @_callee
    "describe" "it" "test" "suite" "context" "specify" "bench" "fdescribe" "xdescribe" "fit" "xit"
    "Deno" "QUnit")) @definition.test

(function_declaration) @definition.function
(generator_function_declaration) @definition.function
(class_declaration) @definition.class
(method_definition) @definition.method

(variable_declarator
  name: (identifier)
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function

(variable_declarator
  name: (identifier)
  value: (class) @value) @definition.class

(pair
  key: (_) @name
  value: [
    (arrow_function body: (statement_block))
    (function_expression)
    (generator_function)
  ] @value) @definition.method

; module.exports = function named() {}
(assignment_expression
  left: (member_expression) @_exports
  right: [(function_expression) (arrow_function)] @value
  (#eq? @_exports "module.exports")) @definition.function

(assignment_expression
  left: (member_expression) @_exports
  right: (class) @value
  (#eq? @_exports "module.exports")) @definition.class

; exports.x = function () {}, Foo.prototype.bar = function () {}, Foo.bar = () => {}
(assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method

(assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (_) @name)
  right: (class) @value) @definition.class

(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression)] @value) @definition.function

; defineGetter(req, 'protocol', function protocol() {})
(program
  (expression_statement
    (call_expression
      arguments: (arguments
        (function_expression name: (identifier)) @value)) @definition.function))

; Default exports without a name are called after their file.
(export_statement
  value: [(arrow_function) (function_expression)] @value) @definition.function

(export_statement
  value: (class) @value) @definition.class

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
  function: [(identifier) (import)] @_require
  arguments: (arguments . (string) @import)
  (#any-of? @_require "require" "import"))

(comment) @comment
(string_fragment) @string
(regex) @string
