"""What a path says of its file."""

import pytest

from packhound.text.path_features import is_test, path_facts

TESTS = [
    *("tests/check.py", "src/test/java/A.java", "spec/helper.rb", "web/__tests__/a.js"),
    *("Tests/VaporTests/Helpers.swift", "Src/Newtonsoft.Json.Tests/Data.cs", "iOSTests/a.cpp"),
    *("t/unit/app.py", "pkg/route_test.go", "src/a.spec.ts", "test_a.py", "src/RouteTests.swift"),
    *("tests/helpers.go", "src/test_a.go.py"),
]
CODE = [
    *("src/contest.py", "src/latest/a.js", "Sources/App/Attest.swift", "app/Testing.php"),
    *("data/t/a.py", "src/protest/a.py", "src/a.ts", "TEST/a.c"),
    *("test_helpers.go", "src/spec_a.go", "a.test.go", "a_test.pb.go", "RouteTest.go"),
]


@pytest.mark.parametrize("path", TESTS)
def test_a_test_is_known_by_its_path(path: str) -> None:
    assert is_test(path)
    assert path_facts(path).flags[0]


@pytest.mark.parametrize("path", CODE)
def test_code_is_not_taken_for_a_test(path: str) -> None:
    assert not is_test(path)
    assert not path_facts(path).flags[0]
