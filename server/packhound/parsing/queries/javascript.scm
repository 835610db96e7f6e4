; inherits: ecmascript

(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @value) @definition.method

(variable_declarator name: (identifier) @local value: (_)? @value)
(formal_parameters [(identifier) @local (assignment_pattern left: (identifier) @local)])

(class_heritage (_) @base)
(field_definition property: (_) @field value: (_)? @value)
