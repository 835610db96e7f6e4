(class_definition name: (_) @name) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(extension_declaration name: (_) @name body: (_) @body) @definition.class
(extension_declaration !name body: (_) @body) @definition.impl
(extension_type_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(type_alias . (type_identifier) @name) @definition.type

; A body is the sibling of its signature.
(program
  (function_signature name: (_) @name) @definition.function
  .
  (function_body) @tail)
(program
  (getter_signature name: (_) @name) @definition.function
  .
  (function_body) @tail)
(program
  (setter_signature name: (_) @name) @definition.function
  .
  (function_body) @tail)

(program
  "external"
  .
  [(function_signature name: (_) @name) (getter_signature name: (_) @name)] @definition.function)

(class_body
  (method_signature
    [
      (function_signature name: (_) @name)
      (getter_signature name: (_) @name)
      (setter_signature name: (_) @name)
      (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)
      (factory_constructor_signature (identifier) @name .  (formal_parameter_list))
      (constructor_signature name: (_) @name . parameters: (_))
    ]) @definition.method
  .
  (function_body) @tail)
(extension_body
  (method_signature
    [
      (function_signature name: (_) @name)
      (getter_signature name: (_) @name)
      (setter_signature name: (_) @name)
      (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)
    ]) @definition.method
  .
  (function_body) @tail)
(enum_body
  (method_signature
    [
      (function_signature name: (_) @name)
      (getter_signature name: (_) @name)
    ]) @definition.method
  .
  (function_body) @tail)

(declaration (function_signature name: (_) @name)) @definition.method
(declaration (getter_signature name: (_) @name)) @definition.property
(declaration (constructor_signature . name: (_) @name . parameters: (_))) @definition.property
(declaration
  (constant_constructor_signature
    (const_builtin) . (identifier) @name . (formal_parameter_list))) @definition.property
(declaration
  [
    (constructor_signature name: (_) . name: (_) @name)
    (constant_constructor_signature (identifier) . (identifier) @name)
    (redirecting_factory_constructor_signature (identifier) . (identifier) @name)
  ]) @definition.method

(program
  (static_final_declaration_list
    (static_final_declaration
      (identifier) @name
      (_) @body) @definition.constant))

(expression_statement
  (identifier) @_case
  (selector
    (argument_part
      (arguments
        . (argument (string_literal) @name)
        (argument (function_expression body: (_) @body)))))
  (#any-of? @_case "group" "test" "testWidgets")) @definition.test

(annotation) @attribute
(const_builtin) @attribute
(final_builtin) @attribute

(import_specification . (configurable_uri (uri (string_literal) @import @all)) . [";" (combinator)])
(import_specification (configurable_uri (uri (string_literal) @import)) (identifier) @alias)
(library_export (configurable_uri (uri (string_literal) @import @all)))
(part_directive (uri (string_literal) @import @all))

(comment) @comment
(documentation_comment) @comment
(string_literal) @string

; Local names, with the type or the value that is stated for them.
(formal_parameter . (type_identifier)? @type name: (identifier) @local)
(formal_parameter . (identifier) @local .)
(initialized_variable_definition
  (type_identifier)? @type
  name: (identifier) @local
  . value: (_)* @value)
(for_loop_parts (type_identifier)? @type name: (identifier) @local)
(catch_parameters (identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(superclass . (type_identifier) @base)
(mixins (type_identifier) @base)
(interfaces (type_identifier) @base)
(declaration
  (type_identifier) @type
  [
    (initialized_identifier_list (initialized_identifier . (identifier) @field))
    (static_final_declaration_list (static_final_declaration . (identifier) @field))
  ])
(getter_signature . (type_identifier)? @type name: (_) @property)
(function_signature . (type_identifier) @type name: (_) @result)
(label (identifier) @key)
