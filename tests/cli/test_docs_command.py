"""`packhound docs`: pages made from the index."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support.command_line import packhound

_KEY = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
_FILES = {
    "shop/cart.py": '''"""What a customer wants. More of it."""


class Cart:
    """Items with their prices. Thread-safe."""

    def total(self, rate):
        """Return the sum with tax."""
        return sum(self.prices) * rate

    def _check(self):
        return True


def _helper():
    return 1


def open_cart(owner):
    """Return the *cart* of `owner`,
    made anew if there is none. It is empty then."""
    return Cart()
''',
    "till/pay.py": f'''from shop.cart import Cart, open_cart


def pay(owner):
    cart: Cart = open_cart(owner)
    return cart.total(1.2), "{_KEY}"
''',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_it():\n    Cart().total(2)\n",
}


@pytest.fixture
def root(tmp_path) -> Path:
    for path, text in _FILES.items():
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text(text)
    return tmp_path / "root"


def docs(root: Path, *options: str):
    return packhound(root.parent, "docs", "--root", str(root), *options)


def test_a_page_has_public_definitions_with_their_uses(root) -> None:
    assert docs(root).stdout == "docs/generated: 3 pages, 3 of them new or changed\n"
    golden = Path(__file__).parents[1] / "golden" / "docs"
    for page in ("README.md", "shop/README.md", "till/README.md"):
        made = (root / "docs" / "generated" / page).read_text()
        assert made == (golden / page).read_text(), made
        assert _KEY not in made


_GO = """package mux

// Limit is one.
const Limit = 3

var (
	// ErrNone is one.
	ErrNone = errors.New("none")
	// errMine is one.
	errMine = errors.New("mine")
)

type Router struct{}

func (r *Router) Use() {}

type matcher struct{}

func (m matcher) Match() {}
"""
_CSHARP = """namespace Shop {
    public class Cart {
        public const int Limit = 3;
        static int rate = 2;
        public int Total() { return 1; }
        static string Name() { return ""; }
        internal int Count() { return 1; }
    }
    public interface IPriced { int Price(); }
    class Helper { public int Help() { return 1; } }
    internal static class Words { public static int Of() { return 1; } }
}
"""

_TYPESCRIPT = """import { Rate } from "./rate";
export class Cart { total() { return 1; } private check() { return 2; } }
class Line { price() { return 1; } }
interface Named { name(): string }
function helper() { return 1; }
function listed() { return helper(); }
class Till { pay() { return 1; } }
export { listed, Rate };
export default Till;
"""
_ZIG = """pub fn open() void { return; }
fn close() void { return; }
export fn start() void { return; }
pub const Cart = struct { pub fn total() void { return; } fn check() void { return; } };
const Line = struct { pub fn price() void { return; } };
"""


@pytest.mark.parametrize(
    ("path", "text", "public"),
    [
        (
            "test_helpers.go",
            _GO,
            [
                *("const Limit = 3", 'ErrNone = errors.New("none")'),
                *("type Router struct", "func (r *Router) Use()"),
            ],
        ),
        (
            "Cart.cs",
            _CSHARP,
            [
                *("public class Cart", "public const int Limit", "public int Total()"),
                *("public interface IPriced", "int Price();"),
            ],
        ),
        (
            "cart.ts",
            _TYPESCRIPT,
            [
                *("export class Cart", "total()", "function listed()"),
                *("class Till", "pay()"),
            ],
        ),
        ("script.ts", "function script() { return 1; }\n", ["function script()"]),
        (
            "cart.zig",
            _ZIG,
            [
                *("pub fn open() void", "export fn start() void"),
                *("pub const Cart", "pub fn total() void"),
            ],
        ),
    ],
)
def test_a_page_has_what_the_language_makes_public(tmp_path, path, text, public) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / path).write_text(text)
    docs(tmp_path / "root")
    page = (tmp_path / "root" / "docs" / "generated" / "README.md").read_text()
    assert re.findall(r"^ *- `(.*)`$", page, re.MULTILINE) == public


def test_a_signature_that_is_cut_says_so(tmp_path) -> None:
    (tmp_path / "root").mkdir()
    names = ", ".join(f"parameter_{i}" for i in range(40))
    (tmp_path / "root" / "wide.py").write_text(f"def wide({names}):\n    return 1\n")
    docs(tmp_path / "root")
    page = (tmp_path / "root" / "docs" / "generated" / "README.md").read_text()
    (signature,) = re.findall(r"^- `(.*)`$", page, re.MULTILINE)
    assert signature.endswith(" ...") and signature.removesuffix(" ...") in f"def wide({names})"
    outline = packhound(tmp_path, "outline", "wide.py", "--root", str(tmp_path / "root")).stdout
    assert outline.endswith(" ...\n") and len(outline) < len(signature)


def test_a_check_names_what_is_stale_and_writes_nothing(root) -> None:
    assert docs(root, "--check").returncode == 1
    assert not (root / "docs").exists()
    docs(root)
    assert docs(root, "--check").returncode == 0
    assert docs(root).stdout == "docs/generated: 3 pages, 0 of them new or changed\n"
    cart = root / "shop" / "cart.py"
    # Lines that move change no page.
    cart.write_text("\n\n" + cart.read_text())
    assert docs(root, "--check").returncode == 0
    cart.write_text(cart.read_text().replace("the sum", "the amount"))
    done = docs(root, "--check")
    assert (done.returncode, done.stdout) == (1, "stale: docs/generated/shop/README.md\n")


def test_a_page_of_a_folder_that_is_gone_is_deleted(root) -> None:
    docs(root)
    (root / "till" / "pay.py").unlink()
    docs(root)
    pages = root / "docs" / "generated"
    assert sorted(str(path.relative_to(pages)) for path in pages.rglob("*.md")) == [
        "README.md",
        "shop/README.md",
    ]


@pytest.mark.parametrize("is_link", [False, True])
def test_what_it_did_not_make_is_never_written_over(root, is_link) -> None:
    out = root / "docs" / "generated"
    (out / "shop").mkdir(parents=True)
    page, mine = out / "shop" / "README.md", root / "mine.md"
    mine.write_text("by hand\n")
    if is_link:
        page.symlink_to(mine)
    else:
        page.write_text("by hand\n")
    done = docs(root)
    assert done.returncode == 2 and "was not made by this command" in done.stderr
    assert page.read_text() == mine.read_text() == "by hand\n"
    assert os.listdir(out) == ["shop"]


def test_a_link_does_not_lead_pages_out_of_the_folder(root, tmp_path) -> None:
    (root / "docs" / "generated").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (root / "docs" / "generated" / "shop").symlink_to(tmp_path / "elsewhere")
    done = docs(root)
    assert done.returncode == 2 and "leads out of" in done.stderr
    assert not os.listdir(tmp_path / "elsewhere")
