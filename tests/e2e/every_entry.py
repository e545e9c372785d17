"""Runs every entry of the catalogue (op × backend × dtype × direction) once: shared by the tests of both devices.

The entries are those that `plumbline ops` lists. The shape of each is its op's first one in suites/catalogue.yaml, or
that in OTHERWISE if it does not fit the backend. So a new op is run without a line here.
"""

import collections
import json
import re

import planted

SHAPES = planted.ROOT / "suites" / "catalogue.yaml"
QUICK = ("--rounds", "1", "--blocks-min", "2", "--blocks-max", "2", "--samples", "2", "--warmup-s", "0")
FAST = QUICK + ("--metrics", "gpu_time", "--cache", "hot")
LIMIT_S = 900

# (op, backend, dtype or None for all): changes to the op's shape, so that the backend takes it in both directions.
OTHERWISE = {
    ("gemm", "cudnn", "float32"): {"library": [{"tf32": True}]},  # otherwise cuDNN's products of float32 are refused
    ("bmm", "cudnn", "float32"): {"library": [{"tf32": True}]},
    ("group_norm", "cudnn", None): {"groups": [64]},  # as many groups as channels: instance norm
    ("conv2d", "cudnn", "float8_e4m3fn"): {"layout": ["nhwc"]},
    ("sdpa", "cudnn", "float8_e4m3fn"): {"head_dim": [128], "q_len": [256], "kv_len": [256]},
}

Entry = collections.namedtuple("Entry", "op backend dtype direction")


def entries_of(ops):
    """All entries of `plumbline ops --json`."""
    return [
        Entry(op["op"], made["backend"], dtype, direction)
        for op in ops
        for made in op["implementations"]
        for direction, dtypes in made["dtypes"].items()
        for dtype in dtypes
    ]


def shape_of(op, listed):
    """Non-default parameters of the op's first case in the suite, as axes."""
    first = next(case["params"] for case in listed if case["op"] == op["op"])
    defaults = {param["name"]: param.get("default") for param in op["params"]}
    kept = {name: value for name, value in first.items() if name not in ("dtype", "direction")}
    return {name: [value] for name, value in kept.items() if defaults.get(name) != value}


def suite_of(ops, listed):
    """A suite with one case for each entry, as JSON, which is YAML."""
    shapes = {op["op"]: shape_of(op, listed) for op in ops}
    benchmarks = []
    for entry in entries_of(ops):
        keys = [(entry.op, entry.backend, dtype) for dtype in (entry.dtype, None)]
        more = next((OTHERWISE[key] for key in keys if key in OTHERWISE), {})
        sweep = {**shapes[entry.op], **more, "dtype": [entry.dtype], "direction": [entry.direction]}
        benchmarks.append({"op": entry.op, "backend": [entry.backend], "sweep": sweep})
    return json.dumps({"suite": "entries", "benchmarks": benchmarks}, indent=1)


def entry_of(case):
    op, backend, *params = case.split("/")
    named = dict(param.partition("=")[::2] for param in params)
    return Entry(op, backend, named["dtype"], named.get("direction", "forward"))


def outcomes_of(rows):
    """{entry: (status, reason)}. OK if one of a case's metrics is OK: the others only say that they do not apply."""
    found = {}
    for row in rows:
        entry = entry_of(row["case"])
        if found.get(entry, ("",))[0] != "OK":
            found[entry] = row["status"], row["reason"]
    return found


def name_of(entry):
    return f"{entry.op}/{entry.backend} {entry.dtype} {entry.direction}"


def complaints_of(entries, outcomes, known):
    """Entries that are neither right nor known failures: {pattern of names: (status, words of the reason)}."""
    complaints = [f"{name_of(entry)}: it is not there" for entry in entries if entry not in outcomes]
    complaints += [f"{name_of(entry)}: not of the catalogue" for entry in outcomes if entry not in set(entries)]
    for entry, (status, reason) in outcomes.items():
        expected = [what for pattern, what in known.items() if re.search(pattern, name_of(entry))]
        if status == "OK" and expected:
            complaints.append(f"{name_of(entry)}: it is right, so that its known reason can go")
        elif status != "OK" and not any(status == word and words in reason for word, words in expected):
            complaints.append(f"{name_of(entry)}: {status}: {reason}")
    return complaints


def table_of(entries, outcomes):
    """Right/all by op and backend, followed by each reason with its entries."""
    right, every, reasons = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    backends = ["libtorch", "cudnn", "nccl", "custom"]
    for entry in entries:
        status, reason = outcomes.get(entry, ("NOT RUN", ""))
        every[entry.op, entry.backend] += 1
        right[entry.op, entry.backend] += status == "OK"
        if status != "OK":
            reasons[f"{status}: {reason}"].append(entry)
    lines = ["| op | " + " | ".join(backends) + " |", "|---|" + "---:|" * len(backends)]
    for op in sorted({entry.op for entry in entries}):
        pairs = [(op, backend) for backend in backends]
        cells = [f"{right[pair]}/{every[pair]}" if every[pair] else "–" for pair in pairs]
        lines.append(f"| {op} | " + " | ".join(cells) + " |")
    lines.append(f"\n{sum(right.values())} of {len(entries)} entries are right")
    for reason, about in sorted(reasons.items()):
        lines.append(f"{len(about)} are not: {reason}")
        if len(about) <= 10:
            lines += [f"  {name_of(entry)}" for entry in about]
    return "\n".join(lines)


class EveryEntry:
    """For a subclass of planted.Planted; `known` lists what is not right on its device, and why."""

    known = {}

    def listed(self, *words):
        done = self.plumbline(*words, "--json")
        self.expect(0, done)
        return json.loads(done.stdout)

    def test_every_entry_of_the_catalogue_is_right_or_refused_for_a_reason_known_before(self):
        planted.LIMIT_S = LIMIT_S
        ops = self.listed("ops")
        entries = entries_of(ops)
        suite = self.plant("entries.yaml", suite_of(ops, self.listed("list", SHAPES)))
        run = self.folder / "run"
        done = self.plumbline("run", suite, "-o", run, "--device", self.device, *FAST)
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: mistakes are reported below
        outcomes = outcomes_of(planted.read_rows(run))
        print(table_of(entries, outcomes), flush=True)
        complaints = complaints_of(entries, outcomes, self.known)
        self.assertEqual(complaints, [], "\n".join(complaints))
