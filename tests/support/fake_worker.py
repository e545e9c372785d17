#!/usr/bin/env -S python3 -S -E
"""A worker without LibTorch: speaks the protocol of harness/protocol/messages.h, and misbehaves on demand.

What it does with a case is the case's parameter `fake`, else the first entry of $FAKE_WORKER, a JSON list of
[part of a case id, behaviour], that fits; else it answers OK. `--start BEHAVIOUR` misbehaves before the first
line. Times are made from the hash of case and round, so that two runs give equal results.
"""

import hashlib
import json
import os
import resource
import signal
import sys

UUID = os.environ.get("FAKE_WORKER_UUID", "FAKE-0001")
ENVIRONMENT = {
    "device_kind": "cpu",
    "device_class": "Fake device",
    "device_model": "Fake device",
    "device_uuid": UUID,
    "device_units": "2",
    "libtorch": "2.11.0",
    "worker_hash": "0123456789abcdef",
}
SCHEMAS = [
    "aten::exp(Tensor self) -> Tensor",
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
]


def say(message):
    os.write(4, (message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")


def die(number):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)


def wait_for_ever():
    while True:
        signal.pause()


def reading(request):
    """Two blocks of five samples near 1 ms, the same for the same case and round."""
    text = request["case"]["id"] + str(request["round"])
    jitter = int(hashlib.sha256(text.encode()).hexdigest()[:4], 16) / 65536
    factor = float(os.environ.get("FAKE_WORKER_FACTOR", "1"))
    blocks = [[factor * 1e-3 * (1 + 0.002 * jitter + 0.0001 * (3 * b + i)) for i in range(5)] for b in range(2)]
    return {"metric": "wall_time", "unit": "s", "batch": 1, "samples": blocks, "block_times_s": [0, 0.1]}


def answer(status, reason="", metrics=()):
    return {"answer": {"status": status, "reason": reason, "metrics": list(metrics), "flops": 1e6, "bytes": 4e6}}


def behaviour_of(case):
    if "fake" in case["params"]:
        return case["params"]["fake"]
    for part, behaviour in json.loads(os.environ.get("FAKE_WORKER", "[]")):
        if part in case["id"]:
            return behaviour
    return "ok"


def serve(request):
    """Answers one request, in the way that the case asks for."""
    what = behaviour_of(request["case"])
    say({"phase": "prepare"})
    if what.startswith("exit in "):  # a phase
        say({"phase": what.removeprefix("exit in ")})
        os._exit(6)
    say({"phase": "verify"})
    if what == "hang" and "FAKE_WORKER_READY" in os.environ:  # a fifo: opening it waits for its reader
        with open(os.environ["FAKE_WORKER_READY"], "w") as ready:
            ready.write("hangs")
    if what == "segfault":
        die(signal.SIGSEGV)
    elif what == "killed":
        die(signal.SIGKILL)
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
    elif what == "orphan":  # dies while a process that it started holds the answers open
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
    elif what == "ok without samples":
        say(answer("OK"))
    elif what == "deaf":  # answers, and then takes no request
        say(answer("OK", metrics=[reading(request)]))
        os._exit(0)
    elif what in ("WRONG", "UNSUPPORTED", "OUT_OF_MEMORY", "CRASHED", "UNVERIFIED"):
        samples = [reading(request)] if what == "UNVERIFIED" else []
        say(answer(what, f"planted {what}", samples))
        if what in ("OUT_OF_MEMORY", "CRASHED"):
            sys.exit(0)
    else:
        say({"phase": "measure"})
        count_visit(request)
        say(answer("OK", metrics=[reading(request)]))


def count_visit(request):
    """With $FAKE_WORKER_KILLS, a file of numbers, the parent dies at the visit whose number is the first one."""
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
        if half:  # the parent has read part of the answer by then, or not
            os.write(4, json.dumps(answer("OK", metrics=[reading(request)])).encode()[:100])
        os.kill(os.getppid(), signal.SIGKILL)
        wait_for_ever()


def main():
    argv = sys.argv[1:]
    if "--devices" in argv:
        print(json.dumps([{"device": "cpu", "environment": ENVIRONMENT}]))
        return
    if "--schemas" in argv:
        print(json.dumps(SCHEMAS))
        return
    start = argv[argv.index("--start") + 1] if "--start" in argv else ""
    if start == "no hello":
        wait_for_ever()
    elif start == "exit":
        print("libfake.so.1: cannot open shared object file", file=sys.stderr, flush=True)
        os._exit(127)
    elif start == "garbage":
        say("Welcome!")
        wait_for_ever()
    protocol = 99 if start == "newer" else 1
    say({"hello": {"protocol": protocol, "profiles": ["timing"], "environment": ENVIRONMENT, "later": 1}})
    requests = os.fdopen(3, "r")
    for line in requests:
        serve(json.loads(line)["measure"])
    if start == "bad end":
        os._exit(5)


if __name__ == "__main__":
    main()
