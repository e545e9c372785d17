"""Run directories with a planted truth: cards, processes and blocks with given scatter, and slower cases."""

import json
import math
import pathlib
import random

HEADER = "suite,case,op,backend,revision,device,status,metric,unit,round,worker,part,samples,block_causes"
METRICS = ("gpu_time_cold", "kernel_time_cold")
ROUNDS, BLOCKS, SAMPLES = 3, 6, 3


def cases(count):
    """Ids of `count` cases of four ops."""
    return [f"op{i % 4}/libtorch/n={i}" for i in range(count)]


def visit(noise, level, process_sd, block_sd):
    process = noise.gauss(0, process_sd)
    blocks = [level * math.exp(process + noise.gauss(0, block_sd)) for _ in range(BLOCKS)]
    return "|".join(";".join(repr(block * math.exp(noise.gauss(0, 0.001))) for _ in range(SAMPLES)) for block in blocks)


def write_run(folder, ids, *, seed, uuid="GPU-1", day=1, card_sd=0.0, process_sd=0.002, block_sd=0.01, slower=None):
    """`card_sd`: how much a card differs from case to case, the same in each of its runs. `slower`: factors by case."""
    noise = random.Random(seed)
    lines = [HEADER]
    for number in range(ROUNDS):
        for case in ids:
            truth = 1e-5 * (1 + ids.index(case)) * (slower or {}).get(case, 1)
            truth *= math.exp(random.Random(uuid + case).gauss(0, card_sd))
            for part, metric in enumerate(METRICS, 1):
                samples = visit(noise, truth, process_sd, block_sd)
                row = ["planted", case, case.split("/")[0], "libtorch", "1", uuid, "OK", metric, "s", str(number)]
                lines.append(",".join([*row, f"timing:{number}", f"{part}/{len(METRICS)}", samples, ";" * (BLOCKS - 1)]))
    folder = pathlib.Path(folder)
    folder.mkdir()
    (folder / "results.csv").write_text("\n".join(lines) + "\n")
    environment = {"device_kind": "cuda", "device_class": "NVIDIA H200", "device_model": "NVIDIA H200"}
    info = {
        "format": 1,
        "measurement_revision": 4,
        "started_at": f"2026-01-{day:02}T00:00:00Z",
        "finished_at": f"2026-01-{day:02}T01:00:00Z",
        "environment": environment | {"device_units": "132", "device_uuid": uuid},
    }
    (folder / "run.json").write_text(json.dumps(info))
