"""Machine, libraries and commit for run.json, with the texts that a worker records (core/run/environment.h)."""

from __future__ import annotations

import datetime
import getpass
import os
import pathlib
import platform
import subprocess
import sys

_PRIME, _BASIS, _MASK = 0x100000001B3, 0xCBF29CE484222325, (1 << 64) - 1


def stable_hash(data: bytes) -> str:
    """Hash for files of code: FNV-1a, as in core/run/case.h."""
    found = _BASIS
    for byte in data:
        found = (found ^ byte) * _PRIME & _MASK
    return f"{found:016x}"


def content_hash(data: bytes) -> str:
    """Hash for results.csv: by words of 8 bytes, as in store/file.h."""
    found, whole = _BASIS, len(data) // 8 * 8
    for word in memoryview(data)[:whole].cast("Q"):
        found = (found ^ word) * _PRIME & _MASK
    for byte in data[whole:]:
        found = (found ^ byte) * _PRIME & _MASK
    return f"{found ^ found >> 32:016x}"


def now_utc() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def cpu() -> dict[str, str]:
    """The CPU as a device, with the worker's name for it."""
    model = _cpuinfo("model name") or "unknown processor"
    units = str(os.cpu_count())
    family, number = _cpuinfo("cpu family"), _cpuinfo("model\t")
    kind = f" (family {family}, model {number})" if family else ""
    of_class = f"{model}{kind}, {units} CPUs"
    identity = _first_line("/etc/machine-id") + of_class
    facts = {
        "device_kind": "cpu",
        "device_class": of_class,
        "device_model": model,
        "device_uuid": f"cpu-{stable_hash(identity.encode())}",
        "device_memory_bytes": str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),
        "device_units": units,
    }
    cache = _level3_bytes()
    return facts | ({"device_l2_bytes": str(cache)} if cache > 0 else {})


def software() -> dict[str, str]:
    """Machine and libraries. Reports torch only if the process has loaded it."""
    facts = {
        "host": platform.node(),
        "os": next((x[13:-1] for x in _lines("/etc/os-release") if x.startswith("PRETTY_NAME=")), ""),
        "kernel": platform.release(),
        "boot_id": _first_line("/proc/sys/kernel/random/boot_id"),
        "cpu": _cpuinfo("model name"),
        "compiler": f"{platform.python_implementation()} {platform.python_version()}",  # runs the code
        "worker_hash": _own_hash(),
        "threads": str(os.cpu_count()),
        "started_by": getpass.getuser(),
    }
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "__version__"):
        facts |= {"libtorch": str(torch.__version__), "threads": str(torch.get_num_threads())}
    return facts


def _own_hash() -> str:
    """Hash of this package's files, which do the measuring."""
    files = sorted(pathlib.Path(__file__).parent.glob("*"))
    return content_hash(b"".join(file.read_bytes() for file in files if file.suffix in (".py", ".so")))


def tree(folder: pathlib.Path) -> dict[str, str]:
    """Commit of the tree that contains the folder; $PLUMBLINE_COMMIT if there is none."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        named = {"commit": os.environ.get("PLUMBLINE_COMMIT", ""), "dirty": os.environ.get("PLUMBLINE_DIRTY", "")}
        return {name: text for name, text in named.items() if text}
    dirty = "yes" if _git(folder, "status", "--porcelain") else "no"
    return {"commit": commit, "dirty": dirty, "branch": _git(folder, "branch", "--show-current")}


def sources(folder: pathlib.Path) -> list[dict[str, str]]:
    """Path and hash of each Python file below the folder that this process has imported, except installed packages."""
    named = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {pathlib.Path(file) for file in named if isinstance(file, str)}
    own = sorted(f for f in files if f.suffix == ".py" and folder in f.parents and "site-packages" not in f.parts)
    top = pathlib.Path(_git(folder, "rev-parse", "--show-toplevel") or folder)
    return [
        {"path": str(f.relative_to(top) if top in f.parents else f), "hash": stable_hash(f.read_bytes())}
        for f in own
        if f.is_file()
    ]


def _git(folder: pathlib.Path, *words: str) -> str:
    try:
        command = ["git", "--no-optional-locks", "-C", str(folder), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _lines(path: str) -> list[str]:
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _first_line(path: str) -> str:
    return next(iter(_lines(path)), "").strip()


def _cpuinfo(key: str) -> str:
    return next((x.split(":", 1)[1].strip() for x in _lines("/proc/cpuinfo") if x.startswith(key) and ":" in x), "")


def _level3_bytes() -> int:
    try:
        done = subprocess.run(["getconf", "LEVEL3_CACHE_SIZE"], capture_output=True, text=True, timeout=10)
        return int(done.stdout or 0)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0
