(function_item
  name: (_) @name) @definition.function

(function_signature_item
  name: (_) @name) @definition.function

(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(trait_item name: (_) @name) @definition.trait
(type_item name: (_) @name) @definition.type

(impl_item
  trait: (_) @trait
  type: (_) @name) @definition.impl
(impl_item
  type: (_) @name) @definition.impl

(mod_item
  name: (_) @name
  body: (_) @body) @definition.module

(macro_definition
  name: (_) @name) @definition.macro

(const_item name: (_) @name value: (_) @body) @definition.constant
(static_item name: (_) @name value: (_) @body) @definition.constant

(attribute_item) @attribute

(use_declaration argument: (_) @import @path)
(mod_item
  name: (_) @import @alias
  !body)
(extern_crate_declaration name: (_) @import)

(line_comment) @comment
(block_comment) @comment
(string_content) @string
(raw_string_literal) @string
(char_literal) @string

; cfg_rt! { ... } where an item can be
(source_file (macro_invocation (token_tree) @items))
(source_file (expression_statement (macro_invocation (token_tree) @items)))
(declaration_list (macro_invocation (token_tree) @items))

; Local names, with the type or the value that is stated for them.
(parameter pattern: (identifier) @local type: (_) @type)
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local type: (_)? @type value: (_)? @value)
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)

(let_condition
  pattern: (tuple_struct_pattern
    type: (identifier) @_kind
    [(identifier) @local (ref_pattern (identifier) @local)])
  value: (_) @value
  (#any-of? @_kind "Some" "Ok"))
(match_expression
  value: (_) @value
  body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern
    type: (identifier) @_kind
    [(identifier) @local (ref_pattern (identifier) @local)]))))
  (#any-of? @_kind "Some" "Ok"))

; Bases, members, results and names of arguments; see grammar.py.
(impl_item trait: (_) @base)
(type_parameter name: (_) @generic bounds: (trait_bounds . (_) @type))
(where_predicate left: (_) @generic bounds: (trait_bounds . (_) @type))
(trait_item bounds: (trait_bounds
  [(type_identifier) (generic_type) (scoped_type_identifier)] @base))
(field_declaration name: (_) @field type: (_) @type)
(struct_item body: (ordered_field_declaration_list type: (_) @field @type @all))
(function_item name: (_) @result return_type: (_) @type)
(function_signature_item name: (_) @result return_type: (_) @type)
(field_initializer field: (_) @key)
(field_pattern name: (field_identifier) @key)
