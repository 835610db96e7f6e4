"""Build a release, check it and install it offline: `python .ci/release.py [--roots FOLDER ...]`.

Builds into `build/release`: the wheel and the source distribution, hnswlib for the Pythons that
are here (`--python 3.11 3.13`), and the VSIX of this machine. All that the wheel needs is looked
for as wheels, for other Pythons and systems too. Each root is a system with Python, such as
debootstrap makes: what was built is installed there without a network, and used.
Two runs on one commit and machine give the same bytes.
"""

from __future__ import annotations

import argparse
import email
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
EXTENSION = CHECKOUT / "vscode-extension"
HNSWLIB = "hnswlib==0.8.0"
RESOLVED = ("3.10", "3.12", "3.14")
SYSTEMS = ("x86_64-manylinux_2_28", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")
MACOS = {"MACOSX_DEPLOYMENT_TARGET": "14.0"}  # ONNX Runtime for 3.14 wants it.
# What pip takes as a wheel for Debian 12 and newer.
PLATFORMS = ["manylinux2014_x86_64", *(f"manylinux_2_{minor}_x86_64" for minor in range(5, 37))]
USES = """
set -e
python3 -m venv /tmp/server
/tmp/server/bin/pip install --quiet --no-index --find-links /wheels --only-binary :all: {wanted}
mkdir -p /tmp/house
echo 'def open_door(key): return key.turn()' > /tmp/house/door.py
/tmp/server/bin/packhound doctor --root /tmp/house
/tmp/server/bin/packhound search 'turn the key' --root /tmp/house | grep open_door
"""


def main() -> None:
    """Build, check and install, or end with what is wrong."""
    options = read_options()
    out: Path = options.out
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    os.environ["SOURCE_DATE_EPOCH"] = output("git", "log", "-1", "--format=%ct").strip()
    run("uv", "build", "--quiet", "--out-dir", out, CHECKOUT)
    (out / ".gitignore").unlink()
    for minor in options.python:
        build_hnswlib(minor, out)
    (wheel,) = out.glob("packhound-*.whl")
    bundle = [EXTENSION / "scripts" / "bundle.py", "--wheel", wheel, "--wheels", out, "--out", out]
    target = ("--target", "linux-x64", "--platform", "x86_64-manylinux_2_34")
    run(sys.executable, *bundle, *target, *options.bundle)
    run("twine", "check", "--strict", wheel, *out.glob("*.tar.gz"))
    resolve()
    for vsix in out.glob("*.vsix"):
        write_bill(vsix)
    for root in options.roots:
        install(wheel, root)
    for path in sorted(out.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        sys.stdout.write(f"{digest}  {path.stat().st_size / 1e6:6.1f} MB  {path.name}\n")


def read_options() -> argparse.Namespace:
    """Read what to build, and where to install it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=CHECKOUT / "build" / "release")
    parser.add_argument("--python", nargs="+", default=["3.13"], metavar="3.X")
    parser.add_argument("--roots", nargs="+", type=Path, default=[], metavar="FOLDER")
    parser.add_argument(
        "--bundle", nargs=argparse.REMAINDER, default=[], help="the rest: options of bundle.py"
    )
    return parser.parse_args()


def build_hnswlib(minor: str, out: Path) -> None:
    """Build hnswlib for a Python and any processor of this kind, from Debian 12 on."""
    python = output("uv", "python", "find", minor).strip()
    raw = out / "raw"
    # Symbols for debuggers, and a digest of them, depend on the folder of the build.
    flags = {"CFLAGS": "-g0", "LDFLAGS": "-Wl,--build-id=none"}
    env = {**os.environ, "HNSWLIB_NO_NATIVE": "1", **flags}
    source = ("--no-cache-dir", "--no-deps", "--no-binary", "hnswlib")
    command = [python, "-m", "pip", "wheel", "--quiet", *source, "--wheel-dir", raw, HNSWLIB]
    run(*command, env=env)
    run("auditwheel", "repair", "--strip", "--wheel-dir", out, *raw.glob("*.whl"))
    shutil.rmtree(raw)


def resolve() -> None:
    """Find wheels of all that is needed, for Pythons and systems that are not here."""
    for minor in RESOLVED:
        for system in SYSTEMS:
            where = ("--python-version", minor, "--python-platform", system)
            command = ("uv", "pip", "compile", "--quiet", "--only-binary", ":all:", *where)
            output(*command, "--extra", "team", "pyproject.toml", env={**os.environ, **MACOS})
        sys.stdout.write(f"Python {minor}: wheels for Linux, macOS and Windows\n")


def write_bill(vsix: Path) -> None:
    """Write what a VSIX carries as CycloneDX; each part must say its licence."""
    with zipfile.ZipFile(vsix) as files:
        parts = list(carried(files))
    silent = [part["name"] for part in parts if not part["licenses"]]
    if silent:
        sys.exit(f"{vsix.name} carries what says no licence: {', '.join(silent)}")
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": parts}
    vsix.with_suffix(".cdx.json").write_text(json.dumps(bill, indent=1) + "\n")


def carried(files: zipfile.ZipFile) -> Iterator[dict[str, object]]:
    """Yield Python and each of its packages in a VSIX with version and licence."""
    for name in sorted(files.namelist()):
        if name.endswith(".dist-info/METADATA"):
            fields = email.message_from_bytes(files.read(name))
            named = fields["License-Expression"] or fields["License"]
            classified = [
                each.rpartition(" :: ")[2]
                for each in fields.get_all("Classifier", [])
                if each.startswith("License ::")
            ]
            said = named.splitlines()[0] if named else " and ".join(classified)
            licence = said or fields["License-File"]
            yield {
                "type": "library",
                "name": fields["Name"],
                "version": fields["Version"],
                "purl": f"pkg:pypi/{fields['Name']}@{fields['Version']}",
                "licenses": [{"license": {"name": licence}}] if licence else [],
            }
        elif minor := re.search(r"/python/lib/python(3\.\d+)/LICENSE.txt$", name):
            licences = [{"license": {"id": "PSF-2.0"}}]
            yield {"type": "platform", "name": "CPython", "version": minor[1], "licenses": licences}


def install(wheel: Path, root: Path) -> None:
    """Install the wheel in a root that has no network, and search with it."""
    minor = output(
        *enter(root), "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"
    )
    wheels = root / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    platforms = [option for each in PLATFORMS for option in ("--platform", each)]
    binary = ("--only-binary", ":all:", "--python-version", minor.strip(), *platforms)
    here = ("--find-links", wheel.parent, "--dest", wheels)
    run(sys.executable, "-m", "pip", "download", "--quiet", *binary, *here, f"{wheel}[graph]")
    said = output(*enter(root), "sh", "-c", USES.format(wanted="'packhound[graph]'"))
    if "hnswlib: installed" not in said:
        sys.exit(f"{root}: {said}")
    sys.stdout.write(f"{root.name}: Python {minor.strip()}, installed offline, answers\n")


def enter(root: Path) -> tuple[str, ...]:
    """Return the beginning of a command that runs in a root, without a network."""
    alone = ("unshare", "--net", "--pid", "--fork", f"--mount-proc={root}/proc")
    return (*alone, "env", "-i", "PATH=/usr/sbin:/usr/bin:/bin", "HOME=/tmp", "chroot", str(root))


def output(*command: str | Path, env: dict[str, str] | None = None) -> str:
    """Return what a command prints; where it fails, end with that."""
    done = subprocess.run(
        command, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def run(*command: str | Path, env: dict[str, str] | None = None) -> None:
    """Run a command; where it fails, end with its exit code."""
    code = subprocess.run(command, cwd=CHECKOUT, env=env, check=False).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
