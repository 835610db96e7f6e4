(declarations (signature name: (_) @name) @definition.function)
(declarations (function name: (_) @name) @definition.function)
(declarations (function (infix operator: (_) @name)) @definition.function)
(declarations (bind name: (_) @name) @definition.function)

(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(declarations (type_synomym name: (_) @name) @definition.type)
(declarations (type_family name: (_) @name) @definition.type)
(declarations (data_family name: (_) @name) @definition.type)
(declarations (kind_signature name: (_) @name) @definition.type)
(declarations (pattern_synonym (_ synonym: (_) @name)) @definition.function)
(declarations (foreign_import (signature name: (_) @name)) @definition.function)

(class
  name: (_) @name
  declarations: (_)? @body) @definition.class
(instance
  name: (_) @trait
  patterns: (type_patterns (_) @name)
  declarations: (_)? @body) @definition.impl
(deriving_instance
  name: (_) @trait
  patterns: (type_patterns (_) @name)) @definition.impl

; hspec and tasty cases are expressions inside one function; they stay its text.

(instance name: (_) @base)
(deriving_instance name: (_) @base)

(import module: (_) @import)

(comment) @comment
(haddock) @comment
(string) @string
(char) @string
