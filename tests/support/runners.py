"""Table that tests write into `runners.toml`."""

from __future__ import annotations

PYTEST_ALONE = '[runners.pytest.environment]\nPYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"\n'
"""Importing all plugins that are installed here takes four fifths of the time of a tiny test."""
