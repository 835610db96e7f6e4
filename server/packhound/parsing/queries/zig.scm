; Types are often what a function returns, so their functions are members wherever they stand.
(ContainerDecl
  (Decl
    (FnProto function: (IDENTIFIER) @name)
    (Block)? @body) @definition.member)
(Decl
  (FnProto function: (IDENTIFIER) @name)
  (Block)? @body) @definition.function

(Decl
  (VarDecl
    variable_type_function: (IDENTIFIER) @name
    (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType . "enum")) @body)))) @definition.enum
(Decl
  (VarDecl
    variable_type_function: (IDENTIFIER) @name
    (ErrorUnionExpr (SuffixExpr (ContainerDecl) @body)))) @definition.struct
(Decl
  (VarDecl
    variable_type_function: (IDENTIFIER) @name
    (ErrorUnionExpr (SuffixExpr (ErrorSetDecl) @body)))) @definition.enum

; Public ones, but for imports, other names of what is elsewhere, and plain numbers, of which
; translated headers have thousands.
(_
  "pub"
  .
  (Decl
    (VarDecl
      variable_type_function: (IDENTIFIER) @name
      (ErrorUnionExpr) @_value .)) @definition.one_liner
  (#not-match? @_value "^(@import\\b|[A-Za-z_][\\w.]*$|-?\\d|@as\\()"))
(Decl
  (VarDecl
    variable_type_function: (IDENTIFIER) @name)) @definition.constant

(TestDecl
  (STRINGLITERALSINGLE) @name
  (Block) @body) @definition.test
(TestDecl
  (IDENTIFIER) @name
  (Block) @body) @definition.test
(TestDecl (Block) @body) @definition.test

(_ "pub" @wrap . (Decl) @wrap)

(SuffixExpr
  (BUILTINIDENTIFIER) @_import
  (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @import)))
  (#eq? @_import "@import"))

(container_doc_comment) @comment
(doc_comment) @comment
(line_comment) @comment
(STRINGLITERALSINGLE) @string
(LINESTRING) @string
(CHAR_LITERAL) @string
