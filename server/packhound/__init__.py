"""Packhound: hybrid code search that lives in the editor."""

import os

# From 1.29 on ONNX Runtime keeps an identifier of the machine and sends its makers what models do,
# unless it finds this when it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.2.0"
