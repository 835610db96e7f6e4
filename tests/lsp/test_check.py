"""`packhound/check` in an editor: progress, diagnostics as they come, cancelled by the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.rpc import REQUEST_CANCELLED

DIFF = """\
--- a/config.py
+++ b/config.py
@@ -1,3 +1,3 @@
 def load_config(path):
     '''Read the settings file.'''
-    return path
+    return [path]
"""
RUNNER = """
[runners.mine]
command = ["sh", "-c", "grep -n return config.py /dev/null; sleep $(grep -c SLEEP config.py)00"]
pattern = '(?P<path>[^:]+):(?P<line>\\d+):\\s*(?P<message>.*)'
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/runners.toml").write_text(RUNNER)
    return tmp_path / "config/packhound.toml"


def allow(config: Path, folder: Path) -> None:
    config.write_text(f"changes.run = true\nfolders.trusted = ['{folder}']\n")


def test_steps_and_diagnostics_come_before_the_answer(start_server, folder, config) -> None:
    allow(config, folder)
    client = start_server()
    client.initialize(folder)
    tokens = {"workDoneToken": "steps", "partialResultToken": "rows"}
    result = client.request("packhound/check", {"diff": DIFF, "runners": ["mine"], **tokens})
    assert result["verdict"] == "failed"
    (row,) = result["new"]
    assert (row["path"], row["line"], row["message"]) == ("config.py", 3, "return [path]")
    values = {"steps": [], "rows": []}
    for each in client.notifications:
        if each["method"] == "$/progress":
            values[each["params"]["token"]].append(each["params"]["value"])
    steps = [value["message"] for value in values["steps"]]
    assert steps == ["copy", "mine without the patch", "mine"]
    assert [value["new"][0]["message"] for value in values["rows"]] == ["return [path]"]


def test_the_user_cancels(start_server, folder, config) -> None:
    allow(config, folder)
    client = start_server()
    client.initialize(folder)
    diff = DIFF.replace("return [path]", "return [path]  # SLEEP")
    tokens = {"partialResultToken": "rows"}
    number = client.send_request("packhound/check", {"diff": diff, "runners": ["mine"], **tokens})
    client.wait_for_notification("$/progress")
    client.cancel(number)
    assert client.response(number)["error"]["code"] == REQUEST_CANCELLED
    assert client.request("packhound/status", {})


def test_it_is_refused_with_the_remedy(start_server, folder, config) -> None:
    client = start_server()
    client.initialize(folder)
    error = client.call("packhound/check", {"diff": DIFF})["error"]
    assert "set 'changes.run' to true" in error["message"]
    assert str(config) in error["message"]
