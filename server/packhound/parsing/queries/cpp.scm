(template_declaration) @wrap

(namespace_definition name: (_) @name) @namespace

; googletest and Catch2
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (_) @scope)
      . (parameter_declaration type: (_) @name)))
  body: (_) @body
  (#match? @_macro "^(TYPED_)?TEST(_[A-Z]+)?$")) @definition.test

(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
    (operator_cast) @name
  ]) @definition.function
(function_definition
  declarator: (qualified_identifier) @name
  (#match? @name "\\boperator ")) @definition.function

(declaration
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @definition.prototype

(field_declaration
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @definition.prototype

(type_definition
  type: (struct_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum

(class_specifier name: (_) @name body: (_) @body) @definition.class
(struct_specifier name: (_) @name body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum

(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(type_definition
  declarator: [
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (parenthesized_declarator
          (pointer_declarator declarator: (type_identifier) @name))))
    (function_declarator declarator: (type_identifier) @name)
    (pointer_declarator
      declarator: (function_declarator declarator: (type_identifier) @name))
  ]) @definition.type

; Another name for a type; that of a struct that has the same name is none.
(type_definition
  type: [(type_identifier) (primitive_type) (sized_type_specifier) (qualified_identifier)
    (template_type) (dependent_type)]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
  ]) @definition.type
(type_definition
  type: (_ name: (type_identifier) @_tag !body)
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
  ]
  (#not-eq? @_tag @name)) @definition.type

(preproc_function_def
  name: (identifier) @name
  value: (_) @body) @definition.macro
(preproc_def
  name: (identifier) @name
  value: (_) @body
  (#not-match? @body "^[-(]*[0-9]")) @definition.macro

(declaration
  declarator: (init_declarator
    declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
      (array_declarator declarator: (array_declarator declarator: (identifier) @name))
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    ]
    value: [(initializer_list) (lambda_expression)] @body)) @definition.constant

(preproc_include path: (_) @import @all)

(comment) @comment
(string_content) @string
(raw_string_content) @string
(char_literal) @string

; Local names, with the type or the value that is stated for them.
(parameter_declaration
  type: (_) @type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local))
    (array_declarator declarator: (identifier) @local)
  ])
(declaration
  type: (_) @type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (array_declarator declarator: (identifier) @local)
  ])
(init_declarator declarator: (array_declarator declarator: (identifier) @local))
(declaration
  type: (_) @type
  declarator: (init_declarator
    declarator: [
      (identifier) @local
      (pointer_declarator declarator: (identifier) @local)
      (reference_declarator (identifier) @local)
    ]
    value: (_) @value))
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @local))
(optional_parameter_declaration
  type: (_) @type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)
  ])
(for_range_loop
  type: (_) @type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)
  ])
(structured_binding_declarator (identifier) @local)

; Bases, members, results and names of arguments; see grammar.py.
(declaration declarator: [
  (function_declarator declarator: (identifier) @declared)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @declared))
])
(base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)
(field_declaration
  type: (_) @type
  declarator: [
    (field_identifier) @field
    (pointer_declarator declarator: (field_identifier) @field)
    (array_declarator declarator: (field_identifier) @field)
    (reference_declarator (field_identifier) @field)
  ])
(_
  type: (_) @type
  declarator: [
    (function_declarator declarator: (_) @result)
    (pointer_declarator declarator: (function_declarator declarator: (_) @result))
    (reference_declarator (function_declarator declarator: (_) @result))
  ])
