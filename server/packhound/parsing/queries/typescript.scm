; inherits: ecmascript

(ambient_declaration) @wrap

(abstract_class_declaration) @definition.class
(interface_declaration) @definition.interface
(type_alias_declaration) @definition.type
(enum_declaration) @definition.enum
(internal_module) @definition.module
(module) @definition.module
(function_signature) @definition.function

(public_field_definition
  value: [(arrow_function) (function_expression)] @value) @definition.method

; const create = ((state) => ...) as Create
(variable_declarator
  name: (identifier)
  value: [
    (as_expression . (parenthesized_expression [(arrow_function) (function_expression)] @value))
    (satisfies_expression
      . (parenthesized_expression [(arrow_function) (function_expression)] @value))
  ]) @definition.function

(import_require_clause source: (string) @import)

(variable_declarator
  name: (identifier) @local
  type: (type_annotation (_) @type)?
  value: (_)? @value)
(required_parameter pattern: (identifier) @local type: (type_annotation (_) @type)?)
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @type)?)

(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(public_field_definition
  name: (_) @field
  type: (type_annotation (_) @type)?
  value: (_)? @value)
(property_signature name: (_) @field type: (type_annotation (_) @type))
(required_parameter
  (accessibility_modifier)
  pattern: (identifier) @field
  type: (type_annotation (_) @type))
(function_declaration name: (_) @result return_type: (type_annotation (_) @type))
(function_signature name: (_) @result return_type: (type_annotation (_) @type))
(method_definition name: (_) @result return_type: (type_annotation (_) @type))
(variable_declarator
  name: (_) @result
  value: (arrow_function return_type: (type_annotation (_) @type)))
