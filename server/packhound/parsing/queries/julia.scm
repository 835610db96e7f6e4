(const_statement) @wrap
(macrocall_expression) @wrap

(module_definition name: (_) @name) @definition.module

(function_definition
  (signature [
    (call_expression . (_) @name)
    (typed_expression . (call_expression . (_) @name))
    (where_expression . (call_expression . (_) @name))
    (where_expression . (typed_expression . (call_expression . (_) @name)))
    (identifier) @name
  ])
  (block)? @body) @definition.function
(assignment
  . [
    (call_expression . (_) @name)
    (typed_expression . (call_expression . (_) @name))
    (where_expression . (call_expression . (_) @name))
    (where_expression . (typed_expression . (call_expression . (_) @name)))
  ]
  (operator)
  (_) @body) @definition.function
(macro_definition
  (signature (call_expression . (_) @name))
  (block)? @body) @definition.macro

(struct_definition
  (type_head [
    (identifier) @name
    (parametrized_type_expression . (_) @name)
    (binary_expression . (identifier) @name)
    (binary_expression . (parametrized_type_expression . (_) @name))
  ])
  (block)? @body) @definition.struct
(abstract_definition
  (type_head [
    (identifier) @name
    (parametrized_type_expression . (_) @name)
    (binary_expression . (identifier) @name)
    (binary_expression . (parametrized_type_expression . (_) @name))
  ])) @definition.type
(primitive_definition (type_head (identifier) @name)) @definition.type
(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list . (identifier) @name)
  (#eq? @_macro "enum")) @definition.enum

(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list (string_literal) @name (compound_statement) @body)
  (#any-of? @_macro "testset" "testitem")) @definition.test

(const_statement (assignment . (identifier) @name (operator) (_) @body) @definition.constant)

; A string right before a definition documents it.
(source_file (string_literal) @doc.leading)
(block (string_literal) @doc.leading)

(using_statement (selected_import . (_) @import))
(using_statement (identifier) @import)
(import_statement (selected_import . (_) @import))
(import_statement (identifier) @import)
(call_expression
  (identifier) @_include
  (argument_list (string_literal) @import)
  (#eq? @_include "include"))

(line_comment) @comment
(block_comment) @comment
(string_literal (content) @string)
(character_literal) @string

(assignment . (identifier) @key)
