#!/usr/bin/env bash
# Sets the editors up and runs the tests of this folder in them. A missing editor fails its tests. Two
# run at a time, since they mostly wait. What is given is passed to pytest:
# tests/editors/run.sh -k neovim
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/setup.sh"
PACKHOUND_REQUIRE_CLIENTS=1 exec "${PYTHON:-python}" -m pytest "$here" -m "" -rfEs -n 2 --dist worksteal "$@"
