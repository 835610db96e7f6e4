(statement) @wrap

(create_table (object_reference) @name (_)? @body) @definition.struct
(create_view (object_reference) @name) @definition.type
(create_materialized_view (object_reference) @name) @definition.type
(create_type (object_reference) @name) @definition.type
(create_sequence (object_reference) @name) @definition.type
(create_function (object_reference) @name (function_body)? @body) @definition.function
(create_trigger . (_) (object_reference) @name) @definition.function
(create_index column: (_) @name) @definition.type
(cte . (identifier) @name (statement) @body) @definition.type

(comment) @comment
(marginalia) @comment
