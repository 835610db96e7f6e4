; Decorators stand in a node around the definition.
(decorated_definition) @wrap

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(module
  (assignment
    left: (identifier) @name
    right: (_) @body) @definition.constant)

(module
  (type_alias_statement
    left: (type) @name) @definition.type)

; Docstrings: the first statement of a body.
(module . (comment)* . (string) @doc)
(block . (comment)* . (string) @doc)

; A string right behind an assignment documents it.
(module (assignment) . (string) @doc.following)

(import_statement name: (dotted_name . (identifier) @alias) @import)
(import_statement name: (aliased_import name: (dotted_name) @import alias: (_) @alias))
(import_from_statement module_name: (_) @import name: (dotted_name) @name)
(import_from_statement
  module_name: (_) @import
  name: (aliased_import name: (_) @name alias: (_) @alias))
(import_from_statement module_name: (_) @import (wildcard_import) @all)

(comment) @comment
(string_content) @string
