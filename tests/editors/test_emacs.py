"""The configuration of docs/emacs.md in a real Emacs."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.editor_clients import CHECKOUT, EDITORS, program

PATIENCE_S = 1200


@pytest.mark.editors
def test_the_documented_configuration_attaches_searches_and_hovers(
    workspace: Path, server_command: list[str], editor_env: dict[str, str], tmp_path: Path
) -> None:
    emacs = program("emacs")
    documented = re.findall(r"```elisp\n(.*?)```", (CHECKOUT / "docs/emacs.md").read_text(), re.S)
    configuration = tmp_path / "packhound.el"
    configuration.write_text(";; -*- lexical-binding: t -*-\n" + "\n".join(documented))
    report, job = tmp_path / "report.json", tmp_path / "job.json"
    job.write_text(
        json.dumps({"root": str(workspace), "cmd": [*server_command, "lsp"], "report": str(report)})
    )
    done = subprocess.run(
        [emacs, "-Q", "--batch", "-l", configuration, "-l", EDITORS / "emacs" / "job.el"],
        env={**editor_env, "JOB": str(job)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert report.is_file(), done.stdout + done.stderr
    failed = [step for step in json.loads(report.read_text())["steps"] if "problem" in step]
    assert not failed, json.dumps(failed, indent=1) + done.stderr[-3000:]
