"""C and C++ as their grammars can read them: macros that stand for no syntax become blanks.

A grammar that never sees the preprocessor takes `NAMESPACE_BEGIN` for a type and `EXPORT` in
`class EXPORT Foo {` for the name. Offsets stay what they are. A macro blanked in error costs a
reference; one left standing can cost every definition up to the end of the file.
"""

from __future__ import annotations

import re

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"(?:\((?:[^()]|\([^()]*\)){0,400}\))?"
_ALONE = re.compile(
    # NAMESPACE_BEGIN, Q_OBJECT, DISALLOW_COPY(Foo): the only thing on its line, and no expression.
    rb"^[ \t]*(?:[A-Z][A-Z0-9_]{4,}|[A-Z][A-Z0-9_]{4,}\([^(){}\n]*\)(?!\s*[{:]))[ \t]*$"
    rb"(?!\s*[;,=()|&+?.<>\]*-])",
    re.MULTILINE,
)
_STATEMENT = re.compile(
    # FLAG(int, name, 1, "text"); at the left edge, where no statement can stand.
    rb"^(?:[A-Z][A-Z0-9_]{3,}|[ \t]+MOCK_METHOD\w*)"
    rb"\((?:[^(){};\"]|\"[^\"\n]*\"|\([^(){};]*\)){0,800}\);?[ \t]*$(?!\s*[{:=.&|+?-])",
    re.MULTILINE,
)
_OF_CLASS = re.compile(
    # class EXPORT Foo : Bar {
    rb"\b(class|struct|union|enum)((?:\s+[A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb")+)"
    rb"(?=\s+[A-Za-z_]\w*(?:\s*<[^<>;{}]*>)?(?:\s+final)?\s*(?::(?!:)|\{))"
)
_LEADING = re.compile(
    # EXTERN int f(, NODISCARD static Foo* g(
    rb"^([ \t]*)([A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb")(?=[ \t]+"
    rb"(?:[\w:]+[ \t]+)*[\w:]+(?:<[^;{}()\n]*>)?[ \t*&]+[\w:~]+\()",
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
    rb"(?=\s*[{;])"
)
_ATTRIBUTE = re.compile(
    # int n GUARDED_BY(mutex);  Foo(T& x ATTRIBUTE_LIFETIME_BOUND)
    rb"(?<=\w)\s+(?:[A-Z]+_)?(?:ATTRIBUTE_[A-Z_]+|(?:PT_)?GUARDED_BY\([^()]*\))(?=\s*[,)=;])"
    rb"|(?<=\*)\s*[a-z]\w*_null(?:able|ability_unknown)\b|(?<=\*)\s*[a-z]\w*_nonnull\b"
)
_NO_LINE_END = re.compile(rb"[^\r\n]")
_BEFORE = re.compile(rb"(?:^|[;{}:>/\\]|\*/)\s*(?://.*)?$|^\s*(?:#|//)")


def without_macros(source: bytes) -> bytes:
    """The source with blanks in the place of macros that no grammar expects."""
    code = _STATEMENT.sub(_blanks, source)
    code = _ALONE.sub(_blanks_between_statements, code)
    code = _OF_CLASS.sub(lambda found: found[1] + _blank(found[2]), code)
    code = _LEADING.sub(lambda found: found[1] + _blank(found[2]), code)
    code = _QUALIFIER.sub(lambda found: found[1] + _blank(found[2]), code)
    code = _TRAILING.sub(lambda found: found[1] + _blank(found[2]), code)
    return _ATTRIBUTE.sub(_blanks, code)


def _blank(text: bytes) -> bytes:
    return _NO_LINE_END.sub(b" ", text)


def _blanks(found: re.Match[bytes]) -> bytes:
    return _blank(found[0])


def _blanks_between_statements(found: re.Match[bytes]) -> bytes:
    """Inside an expression or a list, a word alone on its line is a value and stays."""
    source, at = found.string, found.start()
    while at > 0 and source[at - 1 : at] in b" \t\r\n":
        at -= 1
    line = source.rfind(b"\n", 0, at) + 1
    return _blank(found[0]) if _BEFORE.search(source[line:at]) else found[0]
