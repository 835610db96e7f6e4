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

; Exported, or made by a call, as symbols that are exported below; no imports.
(export_statement
  (_ (variable_declarator
    name: (identifier) @name
    value: (_) @body) @definition.one_liner))
(program
  (_ (variable_declarator
    name: (identifier) @name
    value: [
      (call_expression function: (_) @_maker)
      (new_expression constructor: (_) @_maker)
    ] @body) @definition.one_liner)
  (#not-match? @_maker "^(require|import)\\b"))

(program
  (_ (variable_declarator
    name: (identifier) @name
    value: (_) @body) @definition.constant))

(import_statement . source: (string) @import)
(import_statement (import_clause (identifier) @default) source: (string) @import)
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @name alias: (_)? @alias)))
  source: (string) @import)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @import)
(export_statement (export_clause) source: (string) @import)
(export_statement
  (export_clause (export_specifier name: (_) @name alias: (_)? @alias))
  source: (string) @import)
(export_statement (namespace_export (identifier) @alias) source: (string) @import)
(export_statement "*" @all source: (string) @import)
(variable_declarator
  name: (identifier) @default
  value: [
    (call_expression function: _ @_require arguments: (arguments . (string) @import))
    (await_expression
      (call_expression function: _ @_require arguments: (arguments . (string) @import)))
  ]
  (#any-of? @_require "require" "import"))
(variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression function: _ @_require arguments: (arguments . (string) @import))
    property: (_) @name)
  (#any-of? @_require "require" "import"))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern key: (_) @name value: (identifier) @alias)
  ])
  value: [
    (call_expression function: _ @_require arguments: (arguments . (string) @import))
    (await_expression
      (call_expression function: _ @_require arguments: (arguments . (string) @import)))
  ]
  (#any-of? @_require "require" "import"))

(export_statement "default" declaration: (_ name: (_) @export))
(export_statement "default" value: [(identifier) @export (_ name: (_) @export)])
(assignment_expression
  left: (member_expression) @_exports
  right: [(identifier) @export (_ name: (_) @export)]
  (#eq? @_exports "module.exports"))
(call_expression
  function: [(identifier) (import)] @_require
  arguments: (arguments . (string) @import)
  (#any-of? @_require "require" "import"))

(comment) @comment
(string_fragment) @string
(regex) @string

; Local names, with the type or the value that is stated for them; @name is taken out of the value.
(arrow_function parameter: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: [(identifier) @local (assignment_pattern left: (identifier) @local)])
(array_pattern [(identifier) @local (assignment_pattern left: (identifier) @local)])
(rest_pattern (identifier) @local)
(for_in_statement left: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @local @name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @name)
    (pair_pattern key: (_) @name value: (identifier) @local)
  ])
  value: (_) @value)

; Bases, members, results and names of arguments; see grammar.py.
(assignment_expression
  left: (member_expression object: (this) property: (_) @field)
  right: (_) @value)
(method_definition "get" name: (_) @property)
(return_statement (_) @return)
(pair key: (property_identifier) @key)

; They have the `this` of the function around them.
(variable_declarator name: (_) @arrow value: (arrow_function))
(pair key: (_) @arrow value: (arrow_function))
(assignment_expression
  left: [(identifier) @arrow (member_expression property: (_) @arrow)]
  right: (arrow_function))
