; inherits: ecmascript

(ambient_declaration) @wrap

(abstract_class_declaration
  name: (_) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (_) @name
  body: (_) @body) @definition.interface

(type_alias_declaration
  name: (_) @name) @definition.type

(enum_declaration
  name: (_) @name
  body: (_) @body) @definition.enum

(internal_module
  name: (_) @name
  body: (_) @body) @definition.module

(module
  name: (_) @name
  body: (_) @body) @definition.module

(function_signature
  name: (_) @name) @definition.function

(public_field_definition
  name: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(import_require_clause source: (string) @import)
