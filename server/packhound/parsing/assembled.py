"""What a worker sent, as the index takes it."""

from __future__ import annotations

import numpy as np

from packhound.parsing.analyse import Analysis
from packhound.parsing.analysed_file import PARTS, AnalysedFile, NodeRuns


def assembled(analysis: Analysis) -> AnalysedFile:
    """An analysis with its arrays as arrays; they are views of its bytes and cannot be written."""
    runs = analysis.runs.split(" ") if analysis.runs else []
    lengths = np.frombuffer(analysis.lengths, np.int32).reshape(-1, len(PARTS))
    return AnalysedFile(
        path=analysis.path,
        language=analysis.language,
        imports=analysis.imports,
        degraded=analysis.degraded,
        digest=analysis.digest,
        record=analysis.record,
        words=NodeRuns(runs, np.frombuffer(analysis.run, np.int32), lengths),
        texts=analysis.texts,
        node_digests=analysis.node_digests,
    )
