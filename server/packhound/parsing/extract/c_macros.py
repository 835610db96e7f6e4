"""C and C++ without the macros that their grammars cannot parse.

A grammar that never sees the preprocessor takes `NAMESPACE_BEGIN` for a type and `EXPORT` in
`class EXPORT Foo {` for the name. Offsets stay what they are. A macro left standing can cost every
definition up to the end of the file.
"""

from __future__ import annotations

import re

from packhound.parsing.source import ByteRange, blank

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"(?:\((?:[^()]|\([^()]*\)){0,400}\))?"
_ALONE = re.compile(
    # NAMESPACE_BEGIN, Q_OBJECT, DISALLOW_COPY(Foo): the only thing on its line, and no expression.
    rb"^[ \t]*(?:[A-Z][A-Z0-9_]{4,}|[A-Z][A-Z0-9_]{4,}\([^(){}\n]*\)(?!\s*[{:]))[ \t\r]*$"
    rb"(?!\s*[;,=()|&+?.<>\]*-])",
    re.MULTILINE,
)
_STATEMENT = re.compile(
    # FLAG(int, name, 1, "text"); at the left edge, where no statement can stand.
    rb"^(?:[A-Z][A-Z0-9_]{3,}|[ \t]+MOCK_METHOD\w*)"
    rb"\((?:[^(){};\"]|\"[^\"\n]*\"|\([^(){};]*\)){0,800}\);?[ \t\r]*$(?!\s*[{:=.&|+?-])",
    re.MULTILINE,
)
_OF_CLASS = re.compile(
    # class EXPORT Foo FINAL : Bar {
    rb"\b(?:class|struct|union|enum)((?:\s+_*[A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb")*)"
    rb"\s+[A-Za-z_][\w:]*(?:\s*<[^<>;{}]*>)?((?:\s+_*[A-Z][A-Z0-9_]{3,})*)"
    rb"(?=(?:\s+final)?\s*(?::(?!:)|\{))"
)
_MADE_STRUCT = re.compile(
    # ALIGNED_STRUCT(4) Foo {
    rb"\b[A-Z][A-Z0-9_]*_STRUCT\([^(){};]*\)(?=\s+[A-Za-z_]\w*(?:\s+[A-Z][A-Z0-9_]{3,})?\s*\{)"
)
_LEADING = re.compile(
    # EXTERN int f(, NODISCARD static Foo* g(, EXPLICIT operator bool(
    rb"^([ \t]*(?:explicit[ \t]+)?)((?:[A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb"[ \t]+)*"
    rb"[A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb")(?=[ \t]+"
    rb"(?:[\w:]+[ \t]+)*[\w:]+(?:<[^;{}()\n]*>)?[ \t*&]+[\w:~]+\()",
    re.MULTILINE,
)
_OF_CONSTRUCTOR = re.compile(
    # explicit CONSTEXPR Foo(int n), CONSTEXPR Foo(int n) NOEXCEPT : n(n) {
    rb"^([ \t]*(explicit[ \t]+)?)([A-Z][A-Z0-9_]{3,})(?=[ \t]+\w+"
    rb"\((?(2)|(?:[^(){};]|\([^(){};]*\)){0,400}\)(?:\s+(?:noexcept|[A-Z_]+))?\s*:(?!:)))",
    re.MULTILINE,
)
_QUALIFIER = re.compile(
    # CONST_INIT static std::atomic<int> n;
    rb"^([ \t]*(?:static[ \t]+|inline[ \t]+)?)((?:" + _MACRO + _ARGUMENTS + rb"\s+)+)"
    rb"(?=(?:static|const|constexpr|extern|inline|thread_local|virtual|explicit|auto|void|bool|int"
    rb"|char|unsigned|struct|class|template)\b|[a-z_]\w*::)",
    re.MULTILINE,
)
_TRAILING = re.compile(
    # ) LOCKS_EXCLUDED(mutex) {
    rb"(?<=\))((?:\s+(?:const|noexcept|override|final))*)((?:\s+" + _MACRO + _ARGUMENTS + rb")+)"
    rb"(?=\s*(?:[{;]|:(?!:)))"
)
_ATTRIBUTE = re.compile(
    # class alignas(16) Foo {  int n GUARDED_BY(mutex);  Foo(T& x ATTRIBUTE_LIFETIME_BOUND)
    rb"(?<=\w)\s+(?:[A-Z]+_)?(?:ATTRIBUTE_[A-Z_]+|(?:PT_)?GUARDED_BY\([^()]*\))(?=\s*[,)=;])"
    rb"|(?<=\*)\s*[a-z]\w*_null(?:able|ability_unknown)\b|(?<=\*)\s*[a-z]\w*_nonnull\b"
    rb"|\balignas\s*\((?:[^(){};]|\([^(){};]*\)){0,200}\)"
)
_ATTRIBUTE_WORD = re.compile(rb"ATTRIBUTE_|GUARDED_BY|_null|_nonnull|alignas")
_CAPITALS = re.compile(
    rb"^[ \t]*(?:(?:static|inline|explicit)[ \t]+)?[A-Z][A-Z0-9_]{3}", re.MULTILINE
)
_LINE_PATTERNS = (
    (_STATEMENT, 0),
    (_ALONE, 0),
    (_LEADING, 2),
    (_OF_CONSTRUCTOR, 3),
    (_QUALIFIER, 2),
)
_LONG_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\[^\r\n])*(?:\\\r?\n(?:[^\n\\]|\\[^\r\n])*)+", re.MULTILINE
)
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_NO_LINE_END = re.compile(rb"[^\r\n\\]")
_HAS_TEXT = re.compile(rb"[\"'/]")
_BEFORE = re.compile(rb"(?:^|[;{}:>/\\]|\*/)\s*(?://.*)?$|^\s*(?:#|//)")


def blank_macros(source: bytes) -> tuple[bytes, list[ByteRange]]:
    """Replace macros that no grammar expects by blanks; return the source and their ranges."""
    if b"/*" in source:
        source = _LONG_MACRO.sub(_blank_comments, source)
    if b"_STRUCT(" in source:
        source = _MADE_STRUCT.sub(lambda macro: b"struct" + blank(macro[0][6:]), source)
    runs = _at_line_starts(source)
    runs += [
        run for match in _OF_CLASS.finditer(source) for run in match.regs[1:] if run[0] < run[1]
    ]
    runs += [match.span(2) for match in _TRAILING.finditer(source)]
    if _ATTRIBUTE_WORD.search(source):
        runs += [match.span() for match in _ATTRIBUTE.finditer(source)]
    code = bytearray(source)
    for start, end in runs:
        code[start:end] = blank(source[start:end])
    return bytes(code), runs


def _blank_comments(macro: re.Match[bytes]) -> bytes:
    """Blank the comments in a macro of several lines, which ends at the first for its grammar."""
    return _COMMENT.sub(lambda comment: _NO_LINE_END.sub(b" ", comment[0]), macro[0])


def restore_macros(code: bytes, source: bytes, runs: list[ByteRange]) -> bytes:
    """Return code with its macros, which it uses, but for those with text in their arguments."""
    restored = bytearray(code)
    for start, end in runs:
        if not _HAS_TEXT.search(source, start, end):
            restored[start:end] = source[start:end]
    return bytes(restored)


def _at_line_starts(source: bytes) -> list[ByteRange]:
    runs: list[ByteRange] = []
    scanned_to = 0
    for line in _CAPITALS.finditer(source):
        start = line.start()
        if start < scanned_to:
            continue
        for pattern, group in _LINE_PATTERNS:
            match = pattern.match(source, start)
            if match is None or (pattern is _ALONE and not _is_between_statements(source, start)):
                continue
            runs.append(match.span(group))
            scanned_to = match.end(group)
            break
    return runs


def _is_between_statements(source: bytes, end: int) -> bool:
    """Return True if a word alone on its line is no value of an expression or a list."""
    while end > 0 and source[end - 1 : end] in b" \t\r\n":
        end -= 1
    line = source.rfind(b"\n", 0, end) + 1
    return _BEFORE.search(source[line:end]) is not None
