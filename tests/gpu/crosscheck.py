#!/usr/bin/python3
"""Backends against each other: the same problem, the same input bytes, the same float64 reference.

    crosscheck.py RUN… [--metric kernel_time_cold] [--by op] [--same OP=CASES] [--markdown]

RUN: a run of cases that differ only in their backend, as in suites/cudnn.yaml; with several runs, the last one that has
a problem counts. Prints a line for each op (or op, type and direction) that two or more backends take. For each
backend: the problems that it has right and those that it was asked, without refused ones; their largest relative L2
error as a share of the tolerance; and the geometric mean of its time / the fastest backend's. Then lists every case
that is unexpectedly not right. `--same softmax=triton_softmax,jax_softmax` says that these cases of a suite compute that
op; each is a backend of its own, with the name of the case. Exit code 1 if there is one, or if no problem has two backends that are right.
"""

import argparse
import collections
import dataclasses
import math
import statistics

import evidence
from evidence import number

BACKENDS = ["libtorch", "cudnn", "custom"]
WITHOUT_AN_ANSWER = {"UNSUPPORTED", "EXCLUDED"}


@dataclasses.dataclass
class Answer:
    """A backend's result for a problem."""

    status: str
    reason: str = ""
    error: float = math.nan  # relative L2, as a share of the allowed error
    seconds: float = math.nan

    @property
    def is_right(self):
        return self.status == "OK"


def problem_of(case, same=None):
    """(problem, backend) of a case id: the problem is the id without the backend and its plan. `same`: op by name of a
    suite's own cases, which are backends."""
    op, backend, *params = case.split("/")
    if same and op in same:
        op, backend = same[op], op
    kept = [param for param in params if not param.startswith("plan=")]
    return "/".join([op, *kept]), backend


def answers_of(run, metric, same=None):
    """{problem: {backend: Answer}}; with several plans of a backend, the first one in the run."""
    times = evidence.estimates(run, metric)
    found = collections.defaultdict(dict)
    for case, rows in evidence.by_case(run.rows).items():
        problem, backend = problem_of(case, same)
        if backend in found[problem]:
            continue
        whole = next((row for row in rows if not (row["status"] == "UNSUPPORTED" and row["metric"])), rows[0])
        errors = [
            float(row["error_rel_l2"]) / float(row["tolerance"])
            for row in rows
            if row.get("error_rel_l2") and float(row.get("tolerance") or 0) > 0
        ]
        found[problem][backend] = Answer(
            whole["status"],
            whole.get("reason") or "",
            max(errors, default=math.nan),
            times[case].value if case in times else math.nan,
        )
    return dict(found)


def op_of(problem):
    return (problem.partition("/")[0],)


def group_of(problem):
    """op, type and direction."""
    op, *params = problem.split("/")
    named = dict(param.partition("=")[::2] for param in params)
    return op, named.get("dtype", ""), named.get("direction", "forward")


def largest(values):
    known = [value for value in values if not math.isnan(value)]
    return max(known) if known else math.nan


def geometric_mean(values):
    known = [math.log(value) for value in values if not math.isnan(value)]
    return math.exp(statistics.fmean(known)) if known else math.nan


def cells_of(backend, problems):
    """right/asked, largest error, and time relative to the fastest, for a backend over a group's problems."""
    asked = [p for p in problems if backend in p and p[backend].status not in WITHOUT_AN_ANSWER]
    if not asked:
        return ["–", "–", "–"]
    right = [p for p in asked if p[backend].is_right]
    ratios = []
    for p in right:
        fastest = [answer.seconds for answer in p.values() if answer.is_right and answer.seconds > 0]
        if len(fastest) > 1:
            ratios.append(p[backend].seconds / min(fastest))
    error = largest(p[backend].error for p in right)
    return [f"{len(right)}/{len(asked)}", number(error, 2), number(geometric_mean(ratios), 2)]


def report(answers, markdown, group_of=group_of):
    """The table of problems that several backends take, the number that two have right, and their total number."""
    shared = {p: a for p, a in answers.items() if sum(b.status not in WITHOUT_AN_ANSWER for b in a.values()) > 1}
    groups = collections.defaultdict(list)
    for problem, by_backend in shared.items():
        groups[group_of(problem)].append(by_backend)
    others = {backend for by_backend in shared.values() for backend in by_backend} - set(BACKENDS)
    backends = [*BACKENDS, *sorted(others)]
    header = ["", "problems"]
    for backend in backends:
        header += [f"{backend}: right", "error", "time"]
    rows = []
    for group, problems in sorted(groups.items()):
        cells = [cell for backend in backends for cell in cells_of(backend, problems)]
        rows.append([" ".join(group), len(problems), *cells])
    agreeing = sum(sum(a.is_right for a in by_backend.values()) > 1 for by_backend in shared.values())
    return evidence.table(header, rows, markdown), agreeing, len(shared)


def expected_failures(runs, same):
    """(problem, backend) of the cases that a suite expects to fail."""
    return {problem_of(entry["case"], same) for run in runs for entry in run.info.get("expected", [])}


def mistakes_of(runs, answers, same=None):
    """Cases that are neither right, nor refused, nor expected to fail; UNVERIFIED claims nothing."""
    expected = expected_failures(runs, same)
    fine = WITHOUT_AN_ANSWER | {"OK", "UNVERIFIED"}
    return [
        f"{problem} by {backend}: {answer.status}: {answer.reason}"
        for problem, by_backend in answers.items()
        for backend, answer in by_backend.items()
        if answer.status not in fine and (problem, backend) not in expected
    ]


def same_of(words):
    """{name of cases: op} of OP=NAME,NAME words. Throws Unusable for other words."""
    same = {}
    for word in words:
        op, equals, names = word.partition("=")
        if not (op and equals and names):
            raise evidence.Unusable(f"--same {word}: needed is OP=CASES, such as softmax=triton_softmax,jax_softmax")
        same |= dict.fromkeys(names.split(","), op)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="+")
    parser.add_argument("--metric", default="kernel_time_cold")
    parser.add_argument("--by", choices=["op", "type"], default="type")
    parser.add_argument("--same", action="append", default=[], metavar="OP=CASES", help="cases that compute an op")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    same = same_of(arguments.same)
    runs = [evidence.read_run(path) for path in arguments.run]
    answers = {}
    for run in runs:
        answers.update(answers_of(run, arguments.metric, same))
        print(evidence.shown_devices(run))
    text, agreeing, shared = report(answers, arguments.markdown, op_of if arguments.by == "op" else group_of)
    mistakes = mistakes_of(runs, answers, same)
    print("\n" + text)
    print(f"\n{agreeing} of {shared} problems that several backends take have two or more that are right")
    for mistake in mistakes:
        print(f"not right: {mistake}")
    return 1 if mistakes or agreeing == 0 else 0


if __name__ == "__main__":
    evidence.main(main)
