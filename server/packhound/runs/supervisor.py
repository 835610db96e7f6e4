"""A command that cannot outlive who started it: run by Python alone, with nothing of ours imported.

The first line of standard input is the order, in JSON; when that input ends, all that the command
has started is killed, also what left its process group. Where the system allows it, the command
has a network, a table of processes and mounts of its own, in which only one folder can be written;
Landlock keeps it from named pipes elsewhere, and from all files where there are no such mounts.
What the command prints is standard output; the report, in JSON, is standard error.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

_NEW_USER, _NEW_MOUNTS = 1 << 28, 1 << 17
_NEW_OTHERS = 1 << 29 | 1 << 30 | 1 << 27 | 1 << 26
"""Namespaces of processes, network, IPC and names of the machine."""
_RDONLY, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 32, 4_096, 16_384, 1 << 18
_KEPT_FLAGS = 2 | 4 | 8 | 1_024 | 2_048
"""Of a mount, which may not be dropped: nosuid, nodev, noexec, noatime, nodiratime."""
_RELATIME, _MS_RELATIME = 4_096, 1 << 21
_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38
_NEW_RULES, _ADD_RULE, _RESTRICT, _BELOW = 444, 445, 446, 1
"""System calls of Landlock, with one number on all machines; LANDLOCK_RULE_PATH_BENEATH."""
_WRITING = 1 << 1 | sum(1 << bit for bit in range(4, 15))
"""WRITE_FILE, REMOVE_*, MAKE_*, REFER and TRUNCATE: all that changes a folder or a text."""
_RULES_VERSION, _MAX_TOLD = 3, 10
_FLAGS, _UP = (0x8913, 0x8914), 1
"""SIOCGIFFLAGS and SIOCSIFFLAGS; IFF_UP."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS = {
    "ptmx": "pts/ptmx",
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}
_TICK_S, _DISK_EACH_S = 0.1, 2.0
_LIBC: Any = ctypes.CDLL(None, use_errno=True)
Order: TypeAlias = dict[str, Any]
_IS_LINUX = sys.platform == "linux"


def main() -> None:
    """Carry out the order and report how it ended."""
    order = json.loads(sys.stdin.buffer.readline())
    group = _control_group(order["processes"])
    if _IS_LINUX:
        _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)
    order["user"] = os.getuid(), os.getgid()
    order["sockets"] = _sockets()
    order["rules"] = order["apart"] and _has_rules()
    order["apart"] = _IS_LINUX and order["apart"] and _enter_namespaces(*order["user"])
    remarks, writing = os.pipe()
    init = os.fork()
    if not init:
        _run_init(order, group, writing)
    os.close(writing)
    code, reason = _watch(order, init, is_counting=group is None)
    _kill_descendants()
    unlimited = os.read(remarks, 4_096).decode().splitlines()
    if group is None:
        unlimited.append("the number of processes: it is only watched, ten times a second")
    elif group:
        _remove_group(group)
    sys.stderr.write(json.dumps({"code": code, "reason": reason, "unlimited": unlimited}))


def _watch(order: Order, init: int, *, is_counting: bool) -> tuple[int | None, str]:
    """Wait for the command, or for a reason to end it. Return its exit code or that reason."""
    sized, waits = time.monotonic(), [0]
    with suppress(AttributeError, OSError):
        waits.append(os.pidfd_open(init))
    while True:
        if 0 in select.select(waits, [], [], _TICK_S)[0] and not os.read(0, 1):
            return None, "stopped"
        done, status = os.waitpid(init, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), ""
        if is_counting and len(_descendants()) > order["processes"]:
            return None, "processes"
        if time.monotonic() - sized > _DISK_EACH_S:
            if _size_of(order["home"], order["disk_bytes"]) > order["disk_bytes"]:
                return None, "disk"
            sized = time.monotonic()


def _control_group(maximum: int) -> Path | None:
    """Make a control group for at most some processes; None where this user may make none."""
    with suppress(OSError, StopIteration):
        rows = [row.split(":", 2) for row in Path("/proc/self/cgroup").read_text().splitlines()]
        v1 = next((row for row in rows if "pids" in row[1].split(",")), None)
        top = Path("/sys/fs/cgroup/pids") if v1 else Path("/sys/fs/cgroup")
        path = (v1 or next(row for row in rows if row[0] == "0"))[2].lstrip("/")
        group = top / path / f"packhound-{os.getpid()}"
        group.mkdir()
        try:
            (group / "pids.max").write_text(str(maximum))
        except OSError:
            group.rmdir()
            raise
        return group
    return None


def _remove_group(group: Path) -> None:
    for _ in range(100):
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.01)


def _enter_namespaces(uid: int, gid: int) -> bool:
    """Enter namespaces of our own, with all rights there; False where the system has none."""
    if _LIBC.unshare(_NEW_USER | _NEW_OTHERS):
        return False
    _map_user(0, uid, 0, gid)
    return True


def _sockets() -> list[str]:
    """Return the paths of sockets: who can read one can use it, also where nothing is written."""
    with suppress(OSError):
        rows = [row.split(b" /", 1) for row in Path("/proc/net/unix").read_bytes().split(b"\n")]
        return sorted({f"/{os.fsdecode(row[1])}" for row in rows if len(row) > 1})
    return []


def _map_user(inner_uid: int, uid: int, inner_gid: int, gid: int) -> None:
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{inner_uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{inner_gid} {gid} 1")


def _run_init(order: Order, group: Path | None, remarks: int) -> None:
    """Start the command and wait for it and for what is orphaned; never return."""
    if _IS_LINUX:
        _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if group:
        (group / "cgroup.procs").write_text("0")
    has_mounts = order["apart"] and not _LIBC.unshare(_NEW_MOUNTS)
    writable = _set_up_mounts(order) if has_mounts else []
    if order["apart"]:
        with suppress(OSError):
            _set_up_loopback()
    else:
        os.write(remarks, b"the network\nthe processes that it may end\n")
    if not has_mounts:
        what = "the rights of your files" if order["rules"] else "the files that it may write"
        writable = [f"{what}: those that you can"]
    elif not order["rules"]:
        writable.append("what it may write into named pipes")
    os.write(remarks, "".join(f"{each[:200]}\n" for each in writable[:_MAX_TOLD]).encode())
    os.close(remarks)
    command = os.fork()
    if not command:
        _execute(order)
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        done, status = os.wait()
        if done == command:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _mount(source: str, target: str, kind: str, flags: int, data: bytes | None = None) -> bool:
    where = os.fsencode(source), os.fsencode(target)
    return not _LIBC.mount(*where, kind.encode(), flags, data)


def _has_rules() -> bool:
    """Return True if the kernel has all of Landlock that is needed."""
    return _IS_LINUX and _LIBC.syscall(_NEW_RULES, None, 0, 1) >= _RULES_VERSION


def _allow_writing(folders: list[str]) -> None:
    """Let this process and its children write below some folders alone. Raises OSError."""
    handled = struct.pack("Q", _WRITING)
    rules = _LIBC.syscall(_NEW_RULES, handled, len(handled), 0)
    for folder in folders:
        rule = struct.pack("=Qi", _WRITING, os.open(folder, os.O_PATH | os.O_CLOEXEC))
        _LIBC.syscall(_ADD_RULE, rules, _BELOW, rule, 0)
    if rules < 0 or _LIBC.syscall(_RESTRICT, rules, 0):
        raise OSError(ctypes.get_errno(), "what it writes cannot be limited")


def _set_up_mounts(order: Order) -> list[str]:
    """Make all but one folder and devices read-only, and put the copy in the place of the original.

    So editable installs and absolute paths lead to the copy; where the original cannot be covered,
    the command runs in the copy's own place. Return what can be written nevertheless.
    """
    home, root, folder = order["home"], order["root"], order["folder"]
    _mount("none", "/", "", _REC | _PRIVATE)
    _mount("proc", "/proc", "proc", 2 | 4 | 8)
    # Root may write these even in a namespace of its own.
    for path in ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"):
        _mount(path, path, "", _BIND)
    _set_up_devices(f"{home}/dev")
    _mount(home, home, "", _BIND)
    real = Path(os.path.realpath(home), os.path.relpath(folder, home))
    for path in order["dependencies"]:
        # Through no link: the folder may have one there, and a run before may have left one.
        if os.path.realpath(f"{folder}/{path}") == str(real / path):
            with suppress(OSError):
                Path(folder, path).mkdir(parents=True, exist_ok=True)
            _mount(f"{root}/{path}", f"{folder}/{path}", "", _BIND)
    rows = Path("/proc/self/mounts").read_bytes().split(b"\n")
    words = [row.split(b" ")[1].decode("unicode_escape") for row in rows if row]
    writable = list[str]()
    for target in (os.fsdecode(word.encode("latin-1")) for word in words):
        if target in (home, "/proc") or f"{target}/".startswith(("/dev/", f"{home}/dev/")):
            continue
        if not _make_read_only(target):
            writable.append(f"what it may write below {target!r}")
    _mount("none", "/run", "tmpfs", 2 | 4 | 8, b"size=16m")
    for path in order["sockets"]:
        with suppress(OSError):
            if Path(path).is_socket():
                _mount("/dev/null", path, "", _BIND)
    if os.access(root, os.W_OK):
        writable.append(f"what it may write below {root!r}")
    if not Path(home).is_relative_to(root) and _mount(folder, root, "", _BIND | _REC):
        order["folder"] = root
    return writable


def _make_read_only(target: str) -> bool:
    """Return True if nothing can be written below a mount, or nobody gets there."""
    try:
        flag = os.statvfs(target).f_flag
        flags = (flag & _KEPT_FLAGS) | (_MS_RELATIME if flag & _RELATIME else 0)
        _mount("none", target, "", _REMOUNT | _BIND | _RDONLY | flags)
        return bool(os.statvfs(target).f_flag & os.ST_RDONLY)
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES)


def _set_up_devices(folder: str) -> None:
    """Have devices that harm nobody alone: root may open the others in any namespace.

    The folder is not sticky: there a user may not write devices that are not his.
    """
    Path(folder).mkdir(exist_ok=True)
    _mount("none", folder, "tmpfs", 2, b"size=1m,mode=755")
    for name in _DEVICES:
        Path(folder, name).touch()
        _mount(f"/dev/{name}", f"{folder}/{name}", "", _BIND)
    for name in ("shm", "pts"):
        Path(folder, name).mkdir()
    _mount("none", f"{folder}/shm", "tmpfs", 2 | 4, b"size=512m")
    _mount("none", f"{folder}/pts", "devpts", 2 | 8, b"newinstance,ptmxmode=0666,mode=620")
    for name, target in _DEVICE_LINKS.items():
        Path(folder, name).symlink_to(target)
    _mount(folder, "/dev", "", _BIND | _REC)


def _set_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(device, _FLAGS[0], request))[1]
        fcntl.ioctl(device, _FLAGS[1], struct.pack("16sh14x", b"lo", flags | _UP))


def _execute(order: Order) -> None:
    """Become the command, in a session of its own; never return."""
    try:
        os.setsid()
        # Of another user namespace, so that it has no right over the mounts.
        uid, gid = order["user"]
        if order["apart"]:
            if _LIBC.unshare(_NEW_USER):
                raise OSError(ctypes.get_errno(), "no user namespace is left for it")
            _map_user(uid, 0, gid, 0)
        if _IS_LINUX:
            _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        data = resource.RLIMIT_DATA if _IS_LINUX else resource.RLIMIT_AS
        for kind, maximum in (
            (data, order["memory_bytes"]),
            (resource.RLIMIT_FSIZE, order["disk_bytes"]),
            (resource.RLIMIT_CORE, 0),
        ):
            with suppress(OSError, ValueError):
                resource.setrlimit(kind, (maximum, maximum))
        folder, environment = order["folder"], order["environment"]
        for path in order["dependencies"]:
            with suppress(OSError):  # Where it could not be mounted.
                Path(folder, path).symlink_to(Path(order["root"], path))
        if order["rules"]:
            own = ["/proc", "/run"] if order["apart"] else []
            _allow_writing([order["home"], folder, "/dev", *own])
        os.chdir(folder)
        sources = [order["plugins"], f"{folder}/src", folder]
        environment["PYTHONPATH"] = os.pathsep.join(sources)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(1, 2)
        os.execvpe(order["command"][0], order["command"], environment)
    except OSError as error:
        os.write(1, f"'{order['command'][0]}' cannot be run: {error.strerror}\n".encode())
    os._exit(127)


def _descendants() -> list[int]:
    parents = dict[int, int]()
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
            if name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    row = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
                    parents[int(name)] = int(row[1])
    pids, level = list[int](), {os.getpid()}
    while level := {pid for pid, parent in parents.items() if parent in level}:
        pids += level
    return pids


def _kill_descendants() -> None:
    """Kill all that are left, until none is: orphans have become our children."""
    while processes := _descendants():
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in processes:
                with suppress(OSError):
                    os.kill(process, number)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def _size_of(folder: str, maximum: int) -> int:
    """Return the bytes that a folder takes on the disk, or some that are more than `maximum`."""
    size, folders = 0, [folder]
    while folders and size <= maximum:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    return size


if __name__ == "__main__":
    main()
