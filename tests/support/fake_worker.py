#!/usr/bin/env -S python3 -S -E
"""A worker without LibTorch: speaks the protocol of harness/protocol/messages.h, and misbehaves on demand.

The case's parameter `fake` says what to do with a case. Without it, the first matching entry of $FAKE_WORKER does, a
JSON list of [part of a case id, behaviour] or [part of a case id, behaviour, part of "profile device"]. Otherwise it
answers OK. `--start BEHAVIOUR` misbehaves before the first line or at the end. $FAKE_WORKER_DEVICES: a JSON list of
[name, UUID, class] instead of the single CPU. $FAKE_WORKER_PROFILES: the profiles that it offers, separated by blanks;
it does not start in those of $FAKE_WORKER_REFUSES. $FAKE_WORKER_ENVIRONMENT: a JSON object of more facts about its
machine. $FAKE_WORKER_HASH is the hash of its program. With $FAKE_WORKER_COMPILES it tells a compile_time, which
scatters a lot. $FAKE_WORKER_TELLS: a file that gets a line when it stands by, and when it opens and closes its device. Times
come from the hash of case and round, so that two runs give equal results.
"""

import hashlib
import json
import os
import resource
import signal
import sys

UUID = os.environ.get("FAKE_WORKER_UUID", "FAKE-0001")
DEVICES = json.loads(os.environ.get("FAKE_WORKER_DEVICES", "null")) or [["cpu", UUID, "Fake device"]]
PROFILES = os.environ.get("FAKE_WORKER_PROFILES", "timing").split()
# What a worker of each profile measures on a GPU, and what it cannot measure.
READINGS = {
    "timing": ([("gpu_time_cold", "s"), ("host_time", "s")], {}),
    "trace": ([("kernel_time_cold", "s")], {"kernel_time_hot": "planted absence"}),
    "stock": ([("peak_memory", "B")], {}),
    "counters": ([("dram_bytes", "B"), ("l2_hit_rate", "1")], {"stall_gmma": "planted absence"}),
}
CALIBRATION = {
    "values": {
        "copy_bytes_per_s": 4.021e12,
        "copy_bytes_per_s_uncertainty": 8e9,
        "launch_s": 2.13e-6,
        "launch_s_uncertainty": 4e-8,
        "matmul_bfloat16_flops_per_s": 7.123e14,
        "matmul_bfloat16_flops_per_s_uncertainty": 3e12,
        "matmul_bfloat16_burst_flops_per_s": 8.02e14,
        "matmul_bfloat16_burst_flops_per_s_uncertainty": 2e12,
    },
    "absent": {"matmul_float8_flops_per_s": "planted absence"},
    "spent_s": 1.5,
}
SCHEMAS = [
    "aten::exp(Tensor self) -> Tensor",
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
]


def environment_of(device):
    name, uuid, device_class = device
    return {
        "device_kind": name.split(":")[0],
        "device_class": device_class,
        "device_model": device_class,
        "device_uuid": uuid,
        "device_units": "2",
        "libtorch": "2.11.0",
        "worker_hash": os.environ.get("FAKE_WORKER_HASH", "0123456789abcdef"),
        "connections": os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS", ""),
        "allocator": os.environ.get("PYTORCH_ALLOC_CONF", ""),
    } | json.loads(os.environ.get("FAKE_WORKER_ENVIRONMENT", "{}"))


def argument(flag, default):
    return sys.argv[sys.argv.index(flag) + 1] if flag in sys.argv else default


DEVICE = argument("--device", DEVICES[0][0])
PROFILE = argument("--profile", "timing")


def say(message):
    os.write(4, (message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")


def tell(what):
    if "FAKE_WORKER_TELLS" in os.environ:
        with open(os.environ["FAKE_WORKER_TELLS"], "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {what}\n")


def stand_by():
    """Waits until it is needed, if it was started before its turn; receives its arena and the fastest chain."""
    if "PLUMBLINE_STANDBY" in os.environ:
        tell("stands by")
        line = os.read(int(os.environ["PLUMBLINE_STANDBY"]), 4096)
        if not line.endswith(b"\n"):
            os._exit(0)
        arena, chain_s = line.decode()[:-1].split(" ")
        sys.argv += ["--arena", arena] if arena else []
        os.environ |= {"PLUMBLINE_CONTEXT_CHAIN_S": chain_s} if chain_s else {}


def die(number):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)


def wait_for_ever():
    while True:
        signal.pause()


def reading(request, metric="wall_time", unit="s", scatter=os.environ.get("FAKE_WORKER_SCATTER", "0.002")):
    """Two blocks of five samples near 1 ms, the same for the same case and round. `scatter`: between rounds."""
    text = request["case"]["id"] + str(request["round"])
    jitter = int(hashlib.sha256(text.encode()).hexdigest()[:4], 16) / 65536
    factor = float(os.environ.get("FAKE_WORKER_FACTOR", "1"))
    blocks = [[factor * 1e-3 * (1 + float(scatter) * jitter + 0.0001 * (3 * b + i)) for i in range(5)] for b in range(2)]
    return {"metric": metric, "unit": unit, "batch": 1, "samples": blocks, "block_times_s": [0, 0.1]}


def readings(request):
    """The readings of a worker of this profile on this device, and the absent metrics."""
    if not DEVICE.startswith("cuda"):
        compiled = [reading(request, "compile_time", scatter="4")] if "FAKE_WORKER_COMPILES" in os.environ else []
        return [reading(request), *compiled], {}
    there, absent = READINGS[PROFILE]
    return [reading(request, *metric) for metric in there], absent


def answer(status, reason="", metrics=(), absent=None):
    known = {"flops": 1e6, "bytes": 4e6, "spent_s": {"launch": 0.5, "measure": 0.75, "verify": 0.25}}
    return {
        "answer": {"status": status, "reason": reason, "metrics": list(metrics), "absent": absent or {}} | known
    }


def behaviour_of(case):
    if "fake" in case["params"]:
        return case["params"]["fake"]
    for part, behaviour, *place in json.loads(os.environ.get("FAKE_WORKER", "[]")):
        if part in case["id"] and (place or [""])[0] in f"{PROFILE} {DEVICE}":
            return behaviour
    return "ok"


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def serve(request):
    """Answers one request in the way that the case requests."""
    what = behaviour_of(request["case"])
    say({"phase": "prepare"})
    if what.startswith("exit in "):  # a phase
        say({"phase": what.removeprefix("exit in ")})
        os._exit(6)
    say({"phase": "verify"})
    if what == "hang" and "FAKE_WORKER_READY" in os.environ:  # opening a fifo waits for its reader
        with open(os.environ["FAKE_WORKER_READY"], "w") as ready:
            ready.write("hangs")
    if what == "segfault":
        die(signal.SIGSEGV)
    elif what == "killed":
        die(signal.SIGKILL)
    elif what == "terminated":
        die(signal.SIGTERM)
    elif what == "exit":
        print("libfake: giving up", flush=True)
        os._exit(3)
    elif what == "hang":
        wait_for_ever()
    elif what == "garbage":
        say("no JSON at all")
    elif what == "half":
        os.write(4, b'{"answer": {"status": "O')
        os._exit(0)
    elif what == "huge":
        while True:
            os.write(4, b"x" * 65536)
    elif what == "orphan":  # dies while a process that it started keeps the answers open
        if os.fork() == 0:
            wait_for_ever()
        os._exit(4)
    elif what == "close":
        os.close(4)
        wait_for_ever()
    elif what == "kill parent":
        os.kill(os.getppid(), signal.SIGKILL)
        wait_for_ever()
    elif what == "interrupt parent":
        os.kill(os.getppid(), signal.SIGINT)
        wait_for_ever()
    elif what == "end before parent":  # as where a job's processes are ended one after another
        worker, parent = os.getpid(), os.getppid()
        ready, is_ready = os.pipe()
        if os.fork() == 0:
            os.setsid()  # the worker's group is killed
            os.write(is_ready, b"1")
            while is_alive(worker):
                pass
            os.kill(parent, signal.SIGTERM)
            os._exit(0)
        os.read(ready, 1)
        die(signal.SIGTERM)
    elif what == "ok without samples":
        say(answer("OK"))
    elif what == "deaf":  # answers, and then reads no more requests
        say(answer("OK", metrics=[reading(request)]))
        os._exit(0)
    elif what == "kept":  # adds a byte to the shared results, and reports how many there are
        kept = int(os.environ["PLUMBLINE_KEPT_RESULTS"])
        os.pwrite(kept, b"x", os.fstat(kept).st_size)
        say(answer("UNSUPPORTED", f"{os.fstat(kept).st_size} bytes"))
    elif what in ("WRONG", "UNSUPPORTED", "OUT_OF_MEMORY", "CRASHED", "UNVERIFIED"):
        samples = [reading(request)] if what == "UNVERIFIED" else []
        say(answer(what, f"planted {what}", samples))
        if what in ("OUT_OF_MEMORY", "CRASHED"):
            sys.exit(0)
    else:
        say({"phase": "measure"})
        count_visit(request)
        say(answer("OK", "", *readings(request)))


def count_visit(request):
    """With $FAKE_WORKER_KILLS, a file of numbers: kills the parent at the visit with the first number."""
    path = os.environ.get("FAKE_WORKER_KILLS")
    if not path:
        return
    with open(path) as file:
        left = [int(word) for word in file.read().split()]
    if not left:
        return
    left[0] -= 1
    half = left[0] == 0 and len(left) % 2 == 0
    with open(path, "w") as file:
        file.write(" ".join(map(str, left[1:] if left[0] == 0 else left)))
    if left[0] == 0:
        if half:  # the parent may or may not have read part of the answer by then
            os.write(4, json.dumps(answer("OK", metrics=[reading(request)])).encode()[:100])
        os.kill(os.getppid(), signal.SIGKILL)
        wait_for_ever()


def devices_entry(device):
    return {"device": device[0], "environment": environment_of(device), "awaits_turn": True}


def main():
    argv = sys.argv[1:]
    for flag, descriptor, mode in (("--requests", 3, os.O_RDONLY), ("--answers", 4, os.O_WRONLY | os.O_CREAT)):
        if flag in argv:
            os.dup2(os.open(argument(flag, ""), mode, 0o666), descriptor)
    if "--devices" in argv:
        print(json.dumps([devices_entry(device) for device in DEVICES]))
        return
    if "--schemas" in argv:
        print(json.dumps(SCHEMAS))
        return
    if "--calibrate" in argv:
        print(os.environ.get("FAKE_WORKER_CALIBRATION") or json.dumps(CALIBRATION))
        return
    start = argument("--start", "")
    if start == "exit standing by" and "PLUMBLINE_STANDBY" in os.environ:
        os._exit(7)
    stand_by()
    tell(" in ".join(["opens", *filter(None, [argument("--arena", "")])]))
    if start == "no hello":
        wait_for_ever()
    elif start == "exit":
        print("libfake.so.1: cannot open shared object file", file=sys.stderr, flush=True)
        os._exit(127)
    elif start == "garbage":
        say("Welcome!")
        wait_for_ever()
    if PROFILE in os.environ.get("FAKE_WORKER_REFUSES", "").split():
        print(f"libfake: no {PROFILE} here", file=sys.stderr, flush=True)
        os._exit(2)
    environment = environment_of(next(device for device in DEVICES if device[0] == DEVICE))
    hello = {"protocol": 99 if start == "newer" else 1, "profiles": PROFILES, "environment": environment, "later": 1}
    if start != "old":
        hello |= {"calibration": {"event_floor_s": 3e-6}, "sentinel": {"spin": 1e-3}}
    if "FAKE_WORKER_CHAIN_STEP" in os.environ:  # seconds above the fastest chain that it was told
        known_s = float(os.environ.get("PLUMBLINE_CONTEXT_CHAIN_S", "29e-6"))
        chain_s = known_s + float(os.environ["FAKE_WORKER_CHAIN_STEP"])
        hello["calibration"] = {"context_chain_s": chain_s}
    say({"hello": hello})
    requests = os.fdopen(3, "r")
    for line in requests:
        request = json.loads(line)
        if "finish" not in request:
            serve(request["measure"])
        elif start == "old":
            raise ValueError("not a request")
        elif start == "hang at the end":
            wait_for_ever()
        elif start == "no goodbye":
            break
        else:
            say({"goodbye": {"sentinel": {"spin": 2e-3}}})
    tell("closes")
    if start == "bad end":
        os._exit(5)


if __name__ == "__main__":
    main()
