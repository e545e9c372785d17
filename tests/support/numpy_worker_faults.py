#!/usr/bin/env python3
"""docs/reference/numpy_worker.py with one planted fault, named by the first argument. A check of `plumbline worker
test` must find each of them.
"""

import importlib.util
import json
import os
import pathlib
import signal
import sys

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "numpy_worker.py"
spec = importlib.util.spec_from_file_location("numpy_worker", SAMPLE)
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)

usual_environment, usual_visit = worker.environment, worker.visit


def without(key, of):
    return {name: value for name, value in of.items() if name != key}


def changed_answer(change):
    """The usual visit; changes its answer if it has samples."""

    def visit(request, say):
        answer = usual_visit(request, say)
        return change(answer) if answer["metrics"] else answer

    worker.visit = visit


def changed_metric(change):
    def of_answer(answer):
        change(answer["metrics"][0])
        return answer

    changed_answer(of_answer)


def changed_visit(before):
    """Runs `before` ahead of the usual visit; an answer of `before` replaces the visit."""
    worker.visit = lambda request, say: before(request, say) or usual_visit(request, say)


def raw(text):
    os.write(worker.ANSWERS, text.encode())


def other_blocks(scale):
    def change(metric):
        metric["samples"] = [[scale(sample) for sample in block] for block in metric["samples"]]

    changed_metric(change)


def wait_for_ever(*_):
    while True:
        signal.pause()


def crash(*_):
    os._exit(6)


def unknown_op(answer):
    """Instead of the answer for an unknown op."""

    def before(request, say):
        return answer(request) if request["case"]["op"] not in worker.OPS else None

    changed_visit(before)


def measures_anything(request):
    request["case"] = request["case"] | {"op": "add"}


def refuses_newer_keys(request, say):
    if "later" in request["case"]:
        return {"status": "CRASHED", "reason": "unknown key 'later'", "metrics": []}
    return None


def second_fails(request, say):
    if request["round"] == 1:
        crash()


def serve_without_goodbye():
    usual_loads = json.loads

    def loads(line):
        request = usual_loads(line)
        return crash() if "finish" in request else request

    worker.json.loads = loads


def serve_on():
    """Waits when its requests end."""
    usual_fdopen = os.fdopen

    def fdopen(descriptor, *mode):
        file = usual_fdopen(descriptor, *mode)
        return iter(lambda: file.readline() or wait_for_ever(), None) if descriptor == worker.REQUESTS else file

    worker.os.fdopen = fdopen


def silent_about_nonsense():
    usual_loads = json.loads

    def loads(line):
        try:
            return usual_loads(line)
        except ValueError:
            os._exit(0)

    worker.json.loads = loads


def hello(**changes):
    worker.HELLO = worker.HELLO | changes


def environment(change):
    worker.environment = lambda: change(usual_environment())


def own_uuid_for_each():
    environment(lambda facts: facts | {"device_uuid": f"cpu-{os.getpid()}"})


FAULTS = {
    "prints beside the list": lambda: print("loading"),
    "no device": lambda: setattr(worker.json, "dumps", lambda value: "[]" if isinstance(value, list) else USUAL_DUMPS(value)),
    "no list of operators": lambda: sys.exit(2) if "--schemas" in sys.argv else None,
    "no hello": lambda: wait_for_ever() if "--device" in sys.argv else None,
    "dies at the start": lambda: crash() if "--device" in sys.argv else None,
    "another protocol": lambda: hello(protocol=2),
    "no class of device": lambda: environment(lambda facts: without("device_class", facts)),
    "profile trace alone": lambda: hello(profiles=["trace"]),
    "another device": own_uuid_for_each,
    "crashes": lambda: changed_visit(crash),
    "hangs": lambda: changed_visit(wait_for_ever),
    "OK without samples": lambda: changed_answer(lambda answer: answer | {"metrics": []}),
    "a text for a number": lambda: changed_answer(lambda answer: answer | {"flops": "many"}),
    "OK without an error": lambda: changed_answer(lambda answer: without("error_rel_l2", answer)),
    "OK with a large error": lambda: changed_answer(lambda answer: answer | {"error_rel_l2": 1.0}),
    "one block too few": lambda: changed_metric(lambda metric: metric["samples"].__delitem__(slice(1, None))),
    "samples of one block alone": lambda: changed_metric(lambda metric: metric["samples"][1].append(1e-3)),
    "a clock too many": lambda: changed_metric(lambda metric: metric.update(block_clocks_hz=[1e9])),
    "milliseconds": lambda: changed_metric(lambda metric: metric.update(unit="ms")),
    "microseconds called seconds": lambda: other_blocks(lambda sample: sample * 1e6),
    "a time of 0": lambda: other_blocks(lambda sample: 0.0),
    "a metric that there is not": lambda: changed_metric(lambda metric: metric.update(metric="speed")),
    "fails at the second visit": lambda: changed_visit(second_fails),
    "answers twice": lambda: changed_visit(lambda request, say: say({"answer": {"status": "OK", "metrics": []}})),
    "crashes at an unknown op": lambda: unknown_op(crash),
    "measures an unknown op": lambda: unknown_op(measures_anything),
    "no reason": lambda: unknown_op(lambda _: {"status": "UNSUPPORTED", "metrics": []}),
    "refuses newer keys": lambda: changed_visit(refuses_newer_keys),
    "prints into the answers": lambda: changed_visit(lambda *_: raw("computing\n")),
    "an unknown message": lambda: changed_visit(lambda request, say: say({"progress": 0.5})),
    "silent about nonsense": silent_about_nonsense,
    "no goodbye": serve_without_goodbye,
    "does not end": serve_on,
}
USUAL_DUMPS = json.dumps

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    worker.main()
