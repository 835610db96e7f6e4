"""The verdict on types that lack a member and imports that nothing provides, and no false alarm."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from packhound.operations import as_text
from packhound.service.engine import Engine
from tests.support.proposals import ask, committed

FILES = {
    "post/__init__.py": "",
    "post/base.py": "from abc import ABC, abstractmethod\n\n\nclass Sender(ABC):\n"
    "    @abstractmethod\n    def send(self, box): ...\n\n    def close(self):\n        pass\n",
    "post/mail.py": "from post.base import Sender\n\n\nclass Mail(Sender):\n"
    "    def send(self, box):\n        return box\n\n\nMail()\n",
    "post/mixed.py": "import smtp\nfrom post.base import Sender\n\n\n"
    "class Mixed(Sender, smtp.Client):\n    pass\n",
    "post/weigh.py": "from . import units\nfrom .units import GRAM\n\n\ndef weigh():\n"
    "    try:\n        from ._fast import weigh\n    except ImportError:\n        pass\n"
    "    return GRAM * units.FACTOR\n",
    "post/units.py": "GRAM = 1\nFACTOR = 2\n",
    "post/lazy.py": "import lazy_loader\n\n"
    "__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, ['rates'])\n",
    "tests/fake/yaml/__init__.py": "def load():\n    return 1\n",
    "web/sender.ts": "export interface Sender {\n  send(box: { size: number }): void;\n"
    "  size?: number;\n}\nexport abstract class Base {\n  abstract stop(): void;\n}\n",
    "web/mail.ts": "import { Base, Sender } from './sender';\nimport * as units from './units';\n\n"
    "export class Mail extends Base implements Sender {\n"
    "  send = (box: { size: number }) => units.weigh(box.size);\n  stop() {}\n}\n",
    "web/units.ts": "export function weigh(size: number) {\n  return size;\n}\n",
    "web/mail.module.css": ".box {\n  color: red;\n}\n",
    "web/rates.json": '{"gram": 1}\n',
    "web/View.vue": "<template><p /></template>\n<script setup>\nconst size = 1;\n</script>\n",
    "java/Sender.java": "package java;\n\ninterface Sender {\n    void send(String box);\n\n"
    "    default void close() {}\n}\n",
    "java/Mail.java": "package java;\n\nclass Mail implements Sender {\n"
    "    public void send(String box) {}\n}\n",
    "java/Base.java": "package java;\n\nabstract class Base implements Comparable<Base> {\n"
    "    Base(int n) {}\n\n    abstract int size();\n}\n",
    "java/Sized.java": "package java;\n\nclass Sized extends Base {\n"
    "    Sized() {\n        super(1);\n    }\n\n    int size() {\n        return 1;\n    }\n}\n",
    "rust/lib.rs": "pub trait Sender {\n    fn send(&self);\n    fn close(&self) {}\n}\n\n"
    "pub struct Mail;\n\nimpl Sender for Mail {\n    fn send(&self) {}\n}\n",
}


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("post")
        for name in ("cache", "data"):
            patch.setenv(f"PACKHOUND_{name.upper()}_DIR", str(folder / name))
        with committed(folder / "tree", FILES) as engine:
            yield engine


def verdict(engine: Engine, changes: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the verdict on a patch after which files have other texts, or are gone."""
    diff = ""
    for path, text in changes.items():
        old, new = ((t or "").splitlines(keepends=True) for t in (FILES.get(path), text))
        sides = (
            f"a/{path}" if path in FILES else "/dev/null",
            f"b/{path}" if text else "/dev/null",
        )
        diff += "".join(difflib.unified_diff([*old], [*new], *sides))
    proposed = ask(engine, "propose", diff=diff)
    return {**proposed["verdict"], "as_text": as_text("propose", proposed)}


def edited(path: str, old: str, new: str) -> dict[str, str | None]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new)}


def places(rows: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    return [(row["path"], row["line"], row["uses"]) for row in rows]


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        (
            edited("post/base.py", "    def close", "    @abstractmethod\n    def close"),
            ("post/mail.py", 4, "Sender.close"),
        ),
        (
            edited("post/mail.py", "def send(", "def post("),
            ("post/mail.py", 4, "Sender.send"),
        ),
        (
            edited("web/sender.ts", "  size?", "  close(): void;\n  size?"),
            ("web/mail.ts", 4, "Sender.close"),
        ),
        (
            edited("web/sender.ts", "  abstract stop", "  abstract go(): void;\n  abstract stop"),
            ("web/mail.ts", 4, "Base.go"),
        ),
        (edited("web/mail.ts", "  stop() {}\n", ""), ("web/mail.ts", 4, "Base.stop")),
        (
            edited("java/Sender.java", "default void close() {}", "void close();"),
            ("java/Mail.java", 3, "Sender.close"),
        ),
        (
            edited("rust/lib.rs", "fn close(&self) {}", "fn close(&self);"),
            ("rust/lib.rs", 8, "Sender.close"),
        ),
        (
            edited("java/Sized.java", "int size()", "int length()"),
            ("java/Sized.java", 3, "Base.size"),
        ),
        (
            {"java/New.java": "package java;\n\nclass New implements Sender {\n}\n"},
            ("java/New.java", 3, "Sender.send"),
        ),
    ],
)
def test_a_type_that_lacks_what_a_base_requires(
    post: Engine, change: dict[str, str | None], lacks: tuple[str, int, str]
) -> None:
    found = verdict(post, change)
    assert places(found["lacking"]) == [lacks]
    assert found["summary"].startswith("1 type that lacks a member;") or found["unresolved"]
    assert f"  lacks '{lacks[2]}': " in found["as_text"]


@pytest.mark.parametrize(
    "change",
    [
        # Concrete, optional, with a body, derived from to be completed, or provided otherwise.
        edited("post/base.py", "    def close", "    def shut(self): ...\n\n    def close"),
        edited("post/base.py", "Sender(ABC)", "Sender"),
        edited("web/sender.ts", "  size?", "  close?(): void;\n  size?"),
        edited("java/Sender.java", "void close() {}", "void close() {}\n\n    default void z() {}"),
        edited("java/Mail.java", "class Mail", "abstract class Mail")
        | edited("java/Sender.java", "default void close() {}", "void close();"),
        {"post/more.py": "from post.base import Sender\n\n\nclass More(Sender):\n    pass\n"},
        edited("post/mail.py", "    def send(self, box):\n        return box", "    send = print"),
    ],
)
def test_a_type_that_is_whole_or_not_known_to_lack_anything(
    post: Engine, change: dict[str, str | None]
) -> None:
    assert not verdict(post, change)["lacking"]


@pytest.mark.parametrize(
    ("change", "imports"),
    [
        (
            {"post/units.py": None},
            [("post/weigh.py", 1, "units of ."), ("post/weigh.py", 2, ".units")],
        ),
        ({"web/units.ts": None}, [("web/mail.ts", 2, "./units")]),
        (
            {"post/new.py": "from post.unit import GRAM\nfrom . import nothing\n"},
            [("post/new.py", 1, "post.unit"), ("post/new.py", 2, "nothing of .")],
        ),
        (
            edited("post/weigh.py", "import GRAM", "import (\n    GRAM,\n    OUNCE,\n)"),
            [("post/weigh.py", 4, "OUNCE of .units")],
        ),
        (
            {"tests/fake/new.py": "from yaml import SafeLoader\n"},
            [("tests/fake/new.py", 1, "SafeLoader of yaml")],
        ),
        (
            {"web/new.ts": "import { weight } from './units';\nimport x from './nowhere.js';\n"},
            [("web/new.ts", 1, "weight of ./units"), ("web/new.ts", 2, "./nowhere.js")],
        ),
    ],
)
def test_an_import_that_nothing_provides(
    post: Engine, change: dict[str, str | None], imports: list[tuple[str, int, str]]
) -> None:
    found = verdict(post, change)
    named = {(row["path"], row["line"]) for row in found["unresolved"]}
    expected = [each for each in imports if each[:2] not in named]
    assert expected and places(found["imports"]) == expected
    assert f"  nothing provides '{expected[0][2]}': " in found["as_text"]


def test_an_import_that_something_may_provide(post: Engine) -> None:
    (post.root / "post/_built.so").touch()
    change: dict[str, str | None] = {
        "post/new.py": "import smtp\nfrom smtp import Client\nfrom post import units, mail\n"
        "from ._built import fast\nfrom .units import *\nfrom .weigh import units as u\n"
        "try:\n    from ._fast import weigh\nexcept ImportError:\n    pass\n",
        "web/new.ts": "import React from 'react';\nimport { Mail } from './mail.js';\n"
        "import * as all from './sender';\nimport '@/styles';\n",
    }
    assert not verdict(post, change)["imports"]


@pytest.mark.parametrize(
    "change",
    [
        # Exports that a bundler makes, names that a call brings, a package of another root.
        {"web/new.ts": "import styles from './mail.module.css';\n"},
        {"web/new.ts": "import rates from './rates.json';\n"},
        {"web/new.ts": "import View from './View.vue';\n"},
        {"post/new.py": "from .lazy import rates\n"},
        {"src2/new.py": "import yaml.nodes\nfrom yaml import SafeLoader\n"},
    ],
)
def test_an_import_of_what_is_not_written_where_it_is_looked_for(
    post: Engine, change: dict[str, str | None]
) -> None:
    assert not verdict(post, change)["imports"]
