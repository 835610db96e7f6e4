(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_define "defmodule")) @definition.module
(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_define "defprotocol")) @definition.interface
(call
  target: (identifier) @_define
  (arguments . (alias) @name (_)? @trait)
  (do_block) @body
  (#eq? @_define "defimpl")) @definition.impl

(call
  target: (identifier) @_define
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name))
      (binary_operator left: (identifier) @name operator: "when")
      (binary_operator
        left: (binary_operator left: (call target: (identifier) @name)) operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_define "def" "defp" "defdelegate" "defn" "defnp")) @definition.function

; What a behaviour asks for, and types: @callback name(...) :: result when ...
(do_block
  (unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_define
      (arguments
        . [
          (binary_operator left: [(identifier) @name (call target: (identifier) @name)])
          (binary_operator
            left: (binary_operator left: (call target: (identifier) @name)) operator: "when")
        ]))) @definition.function
  (#any-of? @_define "callback" "macrocallback"))
(do_block
  (unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_define
      (arguments
        . (binary_operator
          left: [(identifier) @name (call target: (identifier) @name)])))) @definition.type
  (#any-of? @_define "type" "typep" "opaque"))

; Operators: def a + b
(call
  target: (identifier) @_define
  (arguments . (binary_operator left: (identifier) operator: _ @name))
  (do_block)? @body
  (#any-of? @_define "def" "defp")) @definition.function

(call
  target: (identifier) @_define
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name))
    ])
  (do_block)? @body
  (#any-of? @_define "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro

(call
  target: (identifier) @_case
  (arguments . (string) @name)
  (do_block) @body
  (#any-of? @_case "test" "describe" "property" "feature")) @definition.test

(do_block
  (unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @name
      (arguments (_) @body))) @definition.constant
  (#not-match? @name
    "^(module|type|short)?doc$|^spec$|^impl$|^(type|typep|opaque|callback|macrocallback)$|tag$"))

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [
      (string (quoted_content) @doc)
      (sigil (quoted_content) @doc)
    ]))
  (#eq? @_doc "moduledoc"))

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [(string) (sigil)]))
  (#any-of? @_doc "doc" "typedoc")) @doc.leading

(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "impl" "deprecated" "tag")) @attribute
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments (boolean)))
  (#eq? @_attribute "doc")) @attribute

(call
  target: (identifier) @_import
  (arguments . [(alias) (dot)] @import @all)
  (#any-of? @_import "import" "use"))
(call
  target: (identifier) @_import
  (arguments . [(alias) (dot)] @import)
  (#eq? @_import "require"))
(call
  target: (identifier) @_import
  (arguments . [(alias) (dot)] @import @path .)
  (#eq? @_import "alias"))
(call
  target: (identifier) @_import
  (arguments
    . (alias) @import @path
    (keywords (pair value: (alias) @alias)))
  (#eq? @_import "alias"))

(comment) @comment
(quoted_content) @string

; Local names, with the type or the value that is stated for them.
(binary_operator left: (identifier) @local operator: ["=" "<-"] right: (_) @value)
(binary_operator left: (tuple (identifier) @local) operator: ["=" "<-"])
(binary_operator operator: "=" right: (identifier) @local)
(stab_clause left: (arguments [(identifier) @local (tuple (identifier) @local)]))
(call
  target: (identifier) @_def
  (arguments
    . [
      (call (arguments [(identifier) @local (tuple (identifier) @local)]))
      (binary_operator left: (call (arguments [(identifier) @local (tuple (identifier) @local)])))
    ])
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))

; A number can be an arity, as in `import Enum, only: [map: 2]`.
(pair key: (keyword) @key value: (_) @_value (#not-match? @_value "^\\d$"))
