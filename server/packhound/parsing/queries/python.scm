; Decorators stand in a node around the definition.
(decorated_definition) @wrap

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

; Made by a call, in capitals: others are loggers and type variables.
(module
  (assignment
    left: (identifier) @name
    right: (call) @body) @definition.one_liner
  (#match? @name "^_?[A-Z][A-Z0-9]+(_[A-Z0-9]+)*$"))
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

; Local names, with the type or the value that is stated for them.
(parameters [
  (identifier) @local
  (typed_parameter . (identifier) @local type: (_) @type)
  (default_parameter name: (identifier) @local)
  (typed_default_parameter name: (identifier) @local type: (_) @type)
])
(lambda_parameters [(identifier) @local (default_parameter name: (identifier) @local)])
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local type: (_)? @type right: (_)? @value)
(named_expression name: (identifier) @local value: (_) @value)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(list_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern alias: (as_pattern_target (identifier) @local))

; Bases, members, results and names of arguments; see grammar.py.
(class_definition superclasses: (argument_list [
  (identifier) @base
  (attribute) @base
  (call) @base
  (list_splat) @base
  (subscript value: (_) @base)
  (keyword_argument value: (_) @base)
]))
(assignment
  left: (attribute object: (identifier) @_self attribute: (_) @field) type: (_)? @type
  right: (_)? @value
  (#any-of? @_self "self" "cls"))
(decorated_definition
  . (decorator [(identifier) (attribute)] @_decorator)
  definition: (function_definition name: (_) @property)
  (#match? @_decorator "property$"))
(function_definition name: (_) @result return_type: (_) @type)
(return_statement (_) @return)
(keyword_argument name: (_) @key)
