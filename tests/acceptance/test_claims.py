"""No answer claims more than was read, at random moments of a first reading, a checkout and edits.

`benchmarks/claims.py` draws as many answers as one likes, of any folder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import claims

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.mark.slow
@needs_git
def test_no_answer_at_a_random_moment_claims_more_than_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(600):
        functions = (f"def canary_{number}_{n}(path):\n    return path\n" for n in range(10))
        (tmp_path / f"m{number}.py").write_text("\n\n".join(functions))
    monkeypatch.setattr("sys.argv", ["claims", str(tmp_path), "--answers", "25"])
    claims.main()
    assert '"claims": 0' in capsys.readouterr().out
