(value_definition) @wrap
(type_definition) @wrap
(module_definition) @wrap
(class_definition) @wrap

(compilation_unit
  (value_definition
    (let_binding pattern: (_) @name (parameter) body: (_) @body) @definition.function))
(compilation_unit
  (value_definition
    (let_binding pattern: (_) @name body: (function_expression) @body) @definition.function))
(compilation_unit
  (value_definition
    (let_binding pattern: (_) @name body: (fun_expression) @body) @definition.function))
(structure
  (value_definition
    (let_binding pattern: (_) @name (parameter) body: (_) @body) @definition.function))
(structure
  (value_definition
    (let_binding pattern: (_) @name body: (function_expression) @body) @definition.function))
(structure
  (value_definition
    (let_binding pattern: (_) @name body: (fun_expression) @body) @definition.function))

; let%test, let%expect_test
(value_definition
  (attribute_id) @_attribute
  (let_binding pattern: (_) @name body: (_) @body) @definition.test
  (#match? @_attribute "test"))

(compilation_unit
  (value_definition
    (let_binding pattern: (value_name) @name body: (_) @body) @definition.one_liner)
  (#not-match? @name "^_"))
(compilation_unit
  (value_definition
    (let_binding
      pattern: [(value_name) (parenthesized_operator)] @name
      body: (_) @body) @definition.constant))
(structure
  (value_definition
    (let_binding
      pattern: [(value_name) (parenthesized_operator)] @name
      body: (_) @body) @definition.constant))

(type_binding name: (_) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(external (value_name) @name) @definition.function
(value_specification (_) @name type: (_)) @definition.function

(module_definition
  (module_binding
    (module_name) @name @trait
    body: (structure) @body) @definition.module)
(module_definition
  (module_binding
    (module_name) @name
    module_type: (signature) @body) @definition.module)
(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(class_binding (class_name) @name body: (_) @body) @definition.class
(method_definition (method_name) @name body: (_) @body) @definition.method

(open_module module: (_) @import)
(include_module module: (_) @import)

; A comment can document what stands above it; attach.py tells by the blank line behind it.
((value_specification) . (comment) @doc.following)
((type_definition) . (comment) @doc.following)
((exception_definition) . (comment) @doc.following)
((external) . (comment) @doc.following)

(comment) @comment
(string_content) @string
(quoted_string_content) @string
(character) @string
