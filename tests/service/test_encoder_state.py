"""The state of the encoder is ready only when all that was read has a vector."""

from pathlib import Path

import pytest

from packhound.cli import doctor
from packhound.core.errors import ModelError
from packhound.core.settings_reader import settings_from
from packhound.core.status import Status
from packhound.encoder import Embedder
from packhound.operations import workspace_row
from packhound.service.engine import Engine
from tests.support.project import wait_until

MODELS = Path(__file__).parents[2] / "fixtures/models"


def settings(path: str):
    return settings_from({"index.workers": 1, "encoder.path": path})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    functions = (f"def load_{n}(path):\n    return parse(path, {n})\n" for n in range(60))
    (root / "many.py").write_text("\n\n".join(functions))
    return root


def test_it_is_encoding_until_all_is_read(root: Path) -> None:
    states: list[Status] = []
    engines: list[Engine] = []
    on_change = lambda: states.extend(engine.status() for engine in engines)  # noqa: E731
    engine = Engine.open(root, settings(str(MODELS / "transformer")), on_change)
    try:
        engines.append(engine)
        wait_until(lambda: engine.settled(0) and engine.status().encoder == "ready")
        states.append(engine.status())
    finally:
        engine.close()
    encoding = [state for state in states if state.encoder == "encoding"]
    assert encoding and all(state.pending_vectors for state in encoding)
    assert all(state.vectors == state.nodes for state in states if state.encoder == "ready")
    assert states[-1].encoder_problem == ""


def test_a_failure_says_why(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Embedder, texts: object) -> None:
        raise ModelError("out of memory, of the test")

    monkeypatch.setattr(Embedder, "encode", fail)
    engine = Engine.open(root, settings(str(MODELS / "transformer")))
    try:
        wait_until(lambda: engine.status().encoder == "failed")
        status = engine.status()
        row = workspace_row([status, status])
    finally:
        engine.close()
    assert status.failed_vectors and "out of memory, of the test" in status.encoder_problem
    assert (row["encoder"], row["encoder_problem"]) == ("failed", status.encoder_problem)
    [finding] = doctor.vector_findings(status)
    assert not finding.ok and "out of memory, of the test" in finding.text


def test_one_that_cannot_be_opened_says_why_and_what_to_do(root: Path) -> None:
    engine = Engine.open(root, settings("/nowhere"))
    try:
        assert engine.settled(60)
        status = engine.status()
    finally:
        engine.close()
    assert status.encoder == "missing"
    assert status.encoder_problem.startswith("setting 'encoder.path': model folder /nowhere")


def test_without_a_folder_no_encoder_is_ready() -> None:
    assert workspace_row([])["encoder"] == "off"
