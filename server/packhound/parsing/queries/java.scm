(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum

(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(compact_constructor_declaration name: (_) @name) @definition.method

(field_declaration
  (modifiers "static")
  declarator: (variable_declarator
    name: (_) @name
    value: (_) @body)) @definition.constant

(import_declaration [(scoped_identifier) (identifier)] @import (asterisk) @all)
(import_declaration (scoped_identifier) @import @path . ";")

(line_comment) @comment
(block_comment) @comment
(string_fragment) @string
(multiline_string_fragment) @string
(character_literal) @string
