"""Names of operators are names, and a test or section that is called like a definition is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine
from tests.support.operations import as_text, call

FILES = {
    "lib/row.rb": """\
module Table
  class Row
    def []=(column, value)
      @values[column] = convert(value)
    end

    def ==(other)
      other.is_a?(Row)
    end

    def where(filter)
      filter.each
    end

    def save!
      store
    end
  end

  class Cursor
    def []=(column, value, row)
      row[column] = value
    end
  end
end
""",
    "spec/row_spec.rb": """\
describe "Row#where" do
  it "filters" do
    row.where(1)
  end
end

describe "Row#unbuilt" do
  it "is planned" do
    pending
  end
end
""",
    "src/point.cpp": """\
namespace geo {
struct Point {
  bool operator==(const Point& other) const { return x == other.x; }
  int operator()(int i) const { return i + x; }
  int x;
};
}
""",
    "src/builder.h": """\
namespace flat {
template <bool Is64 = false>
class BuilderImpl {
 public:
  int MakeString(const char* text) { return Write(text); }
};

using Builder = BuilderImpl<false>;
}
""",
    "net/Builder.cs": """\
namespace Google.Flat {
  public class Builder {
    public int MakeString(string text) { return Write(text); }
  }
}
""",
    "src/Ring.scala": "class Ring(val x: Int) {\n  def :::(other: Ring): Ring = other\n}\n",
    "src/Merge.hs": "module Merge where\n\n(<+>) :: Int -> Int -> Int\na <+> b = a + b\n",
    # Words that are all over the code.
    **{
        f"lib/columns/{i}.rb": f"def column_{i}(value)\n  column = value\nend\n" for i in range(160)
    },
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root: Path = tmp_path_factory.mktemp("table")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    engine = Engine.open(root, settings_from({"index.persist": False}))
    assert engine.settled(60)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("query", "first", "reason"),
    [
        ("Table::Row#[]=", "Table::Row::[]=", "defines Table::Row#[]="),
        ("Table::Row::==", "Table::Row::==", "defines Table::Row::=="),
        ("Row#save!", "Table::Row::save!", "defines Row#save!"),
        ("Row#[]=(column, value)", "Table::Row::[]=", "defines Row#[]="),
        ("def []=(column, value)", "Table::Row::[]=", "the only definition with this signature"),
        ("geo::Point::operator==", "geo::Point::operator==", "defines geo::Point::operator=="),
        ("geo::Point::==", "geo::Point::operator==", "defines geo::Point::=="),
        ("Point::operator()(int i)", "geo::Point::operator()", "defines Point::operator()"),
        ("Ring.:::", "Ring.:::", "defines Ring.:::"),
        ("Merge.<+>", "(<+>)", "defines Merge.<+>"),
        ("Row#where", "Table::Row::where", "defines Row#where"),
        (
            "flat::Builder::MakeString",
            "flat::BuilderImpl::MakeString",
            "defines flat::BuilderImpl::MakeString",
        ),
        ("Row#unbuilt", "Row#unbuilt", "a test called Row#unbuilt"),
    ],
)
def test_a_name_of_signs_is_found_first(
    engine: Engine, query: str, first: str, reason: str
) -> None:
    hit = engine.search(Query(query)).hits[0]
    assert hit.node.qualname == first
    assert hit.explanation().reasons[0] == reason


def test_only_what_defines_a_name_is_said_to(engine: Engine) -> None:
    for query, name, reason in (
        ("Table::Row#where", "Row#where", "a test called Row#where"),
        ("Table::Row#[]=", "Table::Cursor::[]=", "defines Table::Cursor::[]="),
        (
            "flat::Builder::MakeString",
            "Google.Flat.Builder.MakeString",
            "defines Google.Flat.Builder.MakeString",
        ),
    ):
        hits = engine.search(Query(query)).hits
        assert reason in [h.explanation().reasons[0] for h in hits if h.node.qualname == name]


@pytest.mark.parametrize("name", ["where", "Row#where", "unbuilt"])
def test_a_title_is_a_symbol_only_as_a_whole(engine: Engine, name: str) -> None:
    nodes = [node.qualname for node in engine.named(name)]
    expected = {"where": ["Table::Row::where"], "unbuilt": []}
    assert nodes == expected.get(name, ["Table::Row::where", "Row#where"])


@pytest.mark.parametrize(
    "name", ["Row#[]=", "Point::operator==", "geo::Point::operator()", "operator()", "Ring.:::"]
)
def test_of_an_operator_no_use_is_denied(engine: Engine, name: str) -> None:
    text = as_text("symbol", call(engine, "symbol", {"name": name}))
    assert "called or used by nothing that is known; uses of operators are not looked for" in text
