"""One command: what it may take, what it can reach, and that nothing of it is left."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from packhound.runs.process import Ended, Limits, Order, Process
from tests.runs.conftest import Repository
from tests.support.processes import MARK, processes_of

PYTHON = sys.executable
LEAVERS = {
    "background": "sleep 600 &",
    "session": "setsid sleep 600 &",
    "double fork": "(setsid sh -c 'sleep 600 &' &)",
    "deaf": "(trap '' HUP INT TERM; exec sleep 600) &",
    "closed": "nohup sleep 600 <&- >&- 2>&- &",
    "twice": "setsid setsid sh -c 'setsid sleep 600 & sleep 600' &",
}
"""Ways to outlive the command that started it."""


def order(command: list[str], home: Path, root: Path, **environment: str) -> Order:
    folder = home / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"PATH": os.environ["PATH"], **environment}
    return Order(command, values, str(folder), str(home), str(root), str(home))


def run(
    command: list[str], home: Path, limits: Limits | None = None, root: Path | None = None
) -> tuple[str, Ended]:
    process = Process(order(command, home, root or home), limits or Limits())
    lines = [line.decode("utf-8", "replace") for line in process.lines()]
    return "\n".join(lines), process.ended


def wait_for(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_output_and_exit_code_of_both_streams(tmp_path: Path) -> None:
    output, ended = run(["sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path)
    assert sorted(output.split("\n")) == ["err", "out"]
    assert (ended.code, ended.reason) == (3, "")


def test_a_line_is_there_as_soon_as_it_is_printed(tmp_path: Path) -> None:
    process = Process(order(["sh", "-c", "echo first; sleep 600"], tmp_path, tmp_path), Limits())
    lines = process.lines()
    assert next(lines) == b"first"
    lines.close()
    assert process.ended.reason == "cancelled"


def test_a_program_that_is_not_there_and_a_signal_are_exit_codes(tmp_path: Path) -> None:
    output, ended = run(["no-such-program"], tmp_path)
    assert ended.code == 127
    assert "'no-such-program' cannot be run" in output
    assert run(["sh", "-c", "kill -SEGV $$"], tmp_path)[1].code == 128 + signal.SIGSEGV


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("how", ["by itself", "seconds", "output", "cancelled", "closed"])
def test_nothing_that_a_command_started_is_left(tmp_path: Path, how: str, apart: bool) -> None:
    trial = f"{os.getpid()}-{how}-{apart}".replace(" ", "")
    tail = {
        "by itself": "sleep 0.2",
        "output": "yes",
        "seconds": "sleep 600",
        "cancelled": "sleep 600",
        "closed": "sleep 600",
    }[how]
    script = "\n".join([*LEAVERS.values(), "sleep 0.3", "echo started", tail])
    limits = Limits(seconds=1.5 if how == "seconds" else 60, output_bytes=100_000, apart=apart)
    cancel = threading.Event()
    started = order(["sh", "-c", script], tmp_path, tmp_path, **{MARK: trial})
    process = Process(started, limits, cancel)
    lines = process.lines()
    assert next(lines) == b"started"
    assert len(processes_of(trial)) >= len(LEAVERS)
    if how == "closed":
        lines.close()
    else:
        if how == "cancelled":
            cancel.set()
        for _ in lines:
            pass
    assert process.ended.reason == {"by itself": "", "closed": "cancelled"}.get(how, how)
    assert not processes_of(trial)


_PARENT = """
import os, sys
from pathlib import Path
from packhound.runs.process import Limits, Order, Process
home, script, apart = sys.argv[1:]
environment = {"PATH": os.environ["PATH"], "PACKHOUND_TEST_TRIAL": os.environ["TRIAL"]}
order = Order(["sh", "-c", script], environment, home, home, home, home)
for line in Process(order, Limits(apart=apart == "True")).lines():
    print(line.decode(), flush=True)
"""


@pytest.mark.parametrize("apart", [True, False])
def test_nothing_is_left_when_the_process_that_asked_is_killed(tmp_path: Path, apart: bool) -> None:
    trial = f"{os.getpid()}-killed-{apart}"
    script = "\n".join([*LEAVERS.values(), "sleep 0.3", "echo started", "sleep 600"])
    command = [PYTHON, "-c", _PARENT, str(tmp_path), script, str(apart)]
    environment = {**os.environ, "TRIAL": trial}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"started\n"
        assert len(processes_of(trial)) >= len(LEAVERS)
        parent.kill()
    wait_for(lambda: not processes_of(trial))


@pytest.mark.parametrize(
    ("script", "limits", "reason"),
    [
        ("import time; time.sleep(600)", Limits(seconds=0.5), "seconds"),
        ("while True: print('x' * 1000)", Limits(output_bytes=100_000), "output"),
        ("while True: print('x' * 1000, end='')", Limits(output_bytes=1000), "output"),
        ("print('\\n' * 600_000)", Limits(), "output"),
        (
            "n = 0\nwhile True:\n open(f'f{n}', 'wb').write(bytes(10**6)); n += 1",
            Limits(disk_bytes=20_000_000),
            "disk",
        ),
    ],
)
def test_limits_end_a_command(tmp_path: Path, script: str, limits: Limits, reason: str) -> None:
    ended = run([PYTHON, "-c", script], tmp_path, limits)[1]
    assert (ended.code, ended.reason) == (None, reason)


@pytest.mark.parametrize(
    ("script", "limits", "said"),
    [
        ("x = bytearray(10**9)", Limits(memory_bytes=300_000_000), "MemoryError"),
        ("open('f', 'wb').write(bytes(10**8))", Limits(disk_bytes=10**6), "File too large"),
        ("import os; os.abort()", Limits(), ""),
    ],
)
def test_limits_that_the_system_keeps(
    tmp_path: Path, script: str, limits: Limits, said: str
) -> None:
    output, ended = run([PYTHON, "-c", script], tmp_path, limits)
    assert ended.code
    assert said in output
    assert not [*(tmp_path / "copy").glob("core*")]


def test_a_fork_bomb_is_held_by_the_limit_or_ended(tmp_path: Path) -> None:
    bomb = "import os, time\nfor _ in range(9):\n os.fork()\ntime.sleep(600)"
    trial = f"{os.getpid()}-bomb"
    limits = Limits(processes=40, seconds=3)
    process = Process(
        order([PYTHON, "-S", "-c", bomb], tmp_path, tmp_path, **{MARK: trial}), limits
    )
    most = 0
    done = threading.Event()

    def count() -> None:
        nonlocal most
        while not done.is_set():
            most = max(most, len(processes_of(trial)))

    counting = threading.Thread(target=count)
    counting.start()
    lines = [*process.lines()]
    done.set()
    counting.join()
    is_held = any(b"Resource temporarily unavailable" in line for line in lines)
    assert is_held or process.ended.reason == "processes"
    assert most <= 400, "of 512"
    assert not processes_of(trial)


def test_what_is_allowed_is_not_hindered(tmp_path: Path, repository: Repository) -> None:
    script = """
import multiprocessing, os, pty, socket, subprocess
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
open("here", "w").write("x")
print(os.getcwd(), subprocess.run(["echo", "shell"], capture_output=True, text=True).stdout)
multiprocessing.Lock()
pty.openpty()
os.urandom(1), open("/dev/null", "w").write("x"), open("/dev/stdout", "w").write("y")
"""
    output, ended = run([PYTHON, "-c", script], tmp_path, root=repository.tree)
    assert ended.code == 0, output
    assert "shell" in output
    assert (tmp_path / "copy" / "here").exists()
    if not ended.unlimited:
        assert str(repository.tree) in output, "the copy is where the original was"


ESCAPES = """
touch "$ROOT_OUT/x"
echo x >> "$ROOT_OUT/.git/config"
rm -rf "$ROOT_OUT/post"
chmod 777 "$ROOT_OUT/run.sh"
mv "$ROOT_OUT/run.sh" "$ROOT_OUT/moved.sh"
ln -s / "$ROOT_OUT/link"
mkdir "$ROOT_OUT/new"
touch "$HOME_OUT/.bashrc"
touch /etc/packhound-was-here
touch /usr/bin/packhound-was-here
touch /tmp/packhound-was-here
touch /var/tmp/packhound-was-here
touch /home/packhound-was-here
mount -o remount,rw /
mount -o remount,bind,rw /
umount -l "$ROOT_OUT"
mount --bind "$HOME_OUT" /etc
unshare --mount sh -c 'mount -o remount,bind,rw / && touch /etc/packhound-was-here'
unshare --user --map-root-user --mount sh -c 'umount -l "$ROOT_OUT" && touch "$HOME_OUT/x"'
nsenter --target 1 --mount touch /etc/packhound-was-here
mknod device b 8 0
chroot / touch /etc/packhound-was-here
kill -9 $PARENT_OUT
kill -0 $PARENT_OUT
ls /proc/$PARENT_OUT/cwd/
cat /proc/$PARENT_OUT/environ
python3 -c 'import socket; socket.create_connection(("1.1.1.1", 53), 2)'
python3 -c 'import socket; socket.create_connection(("8.8.8.8", 443), 2)'
python3 -c 'import socket; socket.getaddrinfo("example.com", 80)'
python3 -c 'import os, socket; socket.create_connection(("127.0.0.1", int(os.environ["PORT"])))'
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/run/docker.sock")'
python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"])'
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")'
cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness
cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern
test -w /proc/sysrq-trigger
test -w /sys/kernel
mkdir /sys/fs/cgroup/pids/packhound-was-here
mkdir /sys/fs/cgroup/packhound-was-here
head -c 1 /dev/kmsg
head -c 1 /dev/mem
timeout 2 sh -c 'echo x > "$PIPE"'
for disk in /dev/sd? /dev/vd? /dev/nvme*n1 /dev/dm-?; do head -c 1 $disk && exit 0; done; exit 1
env | grep -i hunter2
""".strip().split("\n")
"""Commands that must fail: each would change, or reach, something outside of the copy."""


def test_commands_that_would_leave_the_copy_fail(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "hunter2")
    before, home = repository.digest(), tmp_path / "home"
    outside = tmp_path / "users-home"
    outside.mkdir()
    path, pipe = str(tmp_path / "socket"), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(path)
        local.listen()
        environment = {
            "ROOT_OUT": str(repository.tree),
            "HOME_OUT": str(outside),
            "PARENT_OUT": str(os.getpid()),
            "SOCKET": path,
            "PIPE": pipe,
            "PORT": str(server.getsockname()[1]),
        }
        script = "\n".join(
            f"({command}) >/dev/null 2>&1 && echo 'did {n}'" for n, command in enumerate(ESCAPES)
        )
        ordered = order(["sh", "-c", script + "\ntrue"], home, repository.tree, **environment)
        process = Process(ordered, Limits())
        lines = [line.decode() for line in process.lines()]
    os.close(reading)
    if process.ended.unlimited:
        pytest.skip(f"this system cannot limit {process.ended.unlimited}")
    # What it can do to its own copy, where the original was, is its own affair.
    did = [ESCAPES[int(line.split()[1])] for line in lines if line.startswith("did ")]
    assert [each for each in did if "$ROOT_OUT" not in each] == []
    assert repository.digest() == before
    assert not [*outside.iterdir()]
    marks = re.findall(r"/\S*packhound-was-here", "\n".join(ESCAPES))
    assert not [mark for mark in marks if Path(mark).exists()]


def test_what_the_system_cannot_limit_is_said(tmp_path: Path) -> None:
    ended = run(["true"], tmp_path, Limits(apart=False))[1]
    assert "the network" in ended.unlimited
    assert any(each.startswith("the files that it may write") for each in ended.unlimited)


_INSIDE = """
import os, sys
from packhound.runs.process import Limits, Order, Process
home, *command = sys.argv[1:]
root, environment = os.path.dirname(home), {"PATH": os.environ["PATH"]}
process = Process(Order(command, environment, home, home, root, home), Limits())
print(*process.lines(), process.ended)
"""
_DEEP = """
import ctypes, os, sys
os.chdir(sys.argv[1])
for _ in range(30):
    os.makedirs("d" * 200, exist_ok=True)
    os.chdir("d" * 200)
assert not ctypes.CDLL(None).mount(b"none", b".", b"tmpfs", 0, None)
os.chdir("/")
os.execvp(sys.argv[2], sys.argv[2:])
"""


def run_in_namespaces(first: list[str], home: Path, *command: str) -> str:
    """Return what is said of a command in a copy, after another one in namespaces of a test's."""
    home.mkdir()
    apart = ["unshare", "--user", "--map-root-user", "--mount", *first]
    if subprocess.run([*apart, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system has no namespaces for users")
    child = [PYTHON, "-c", _INSIDE, str(home), *command]
    return subprocess.run([*apart, *child], check=True, capture_output=True, text=True).stdout


def test_a_disk_under_any_name_is_read_only(tmp_path: Path) -> None:
    disk = tmp_path / "größte disk"
    disk.mkdir()
    mount = 'mount -t tmpfs none "$0" && "$@"; ls "$0"'
    written = str(disk / "written")
    said = run_in_namespaces(["sh", "-c", mount, str(disk)], tmp_path / "home", "touch", written)
    assert "code=1" in said
    assert "unlimited=()" in said
    assert "written\n" not in said.splitlines(keepends=True)


def test_a_disk_that_cannot_be_made_read_only_is_told(tmp_path: Path) -> None:
    """Its path is longer than the system takes one."""
    first = [PYTHON, "-c", _DEEP, str(tmp_path)]
    said = run_in_namespaces(first, tmp_path / "home", "true")
    assert f"what it may write below '{tmp_path}/ddd" in said.replace('"', "")


def test_without_namespaces_it_writes_no_text_but_in_its_copy(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    script = f"""
for path in {tmp_path}/mine {tmp_path}/new here; do echo x > $path; done 2> /dev/null
rm -f {tmp_path}/mine; mv here {tmp_path}/moved; mkdir sub; mv here sub; ls sub; ls {tmp_path}
"""
    none = 'echo 0 > /proc/sys/user/max_user_namespaces && "$@"'
    command = ("sh", "-c", script)
    said = run_in_namespaces(["sh", "-c", none, "sh"], tmp_path / "home", *command)
    assert "'the network'" in said
    if "the files that it may write" in said:
        pytest.skip("this system has no Landlock")
    assert "the rights of your files: those that you can" in said
    assert (tmp_path / "mine").read_text() == "mine"
    assert {*os.listdir(tmp_path)} == {"mine", "home"}
    assert "b'here'" in said
