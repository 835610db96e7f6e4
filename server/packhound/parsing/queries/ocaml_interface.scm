(type_definition) @wrap
(module_definition) @wrap

(value_specification (_) @name type: (_)) @definition.function
(external (value_name) @name) @definition.function
(type_binding name: (_) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type

(module_definition
  (module_binding
    (module_name) @name
    module_type: (signature) @body) @definition.module)
(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(open_module module: (_) @import)
(include_module_type) @import

; A comment can document what stands above it; attach.py tells by the blank line behind it.
((value_specification) . (comment) @doc.following)
((type_definition) . (comment) @doc.following)
((exception_definition) . (comment) @doc.following)
((external) . (comment) @doc.following)

(comment) @comment
(string_content) @string
(character) @string
