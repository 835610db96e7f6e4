(section
  .
  (atx_heading heading_content: (_)? @name)
  .
  (_)? @body) @definition.section

; Prose refers to nothing.
(document) @string
