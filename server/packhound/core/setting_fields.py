"""Fields of settings classes: a public name, limits and a text beside each default."""

from __future__ import annotations

from packhound.core.parameters import Parameter


def public(
    name: str, parameter: Parameter, *, renamed: bool = True, harmless: bool = False
) -> dict[str, object]:
    """Return the metadata of a field: the setting's public name, its limits and its text.

    `renamed` settings were in 0.1 too, under the name of their field; a harmless one may come from
    the folder of a stranger.
    """
    return {"name": name, "parameter": parameter, "renamed": renamed, "harmless": harmless}
