#!/usr/bin/python3
"""On a GPU, a visit takes at most 50 ms in addition to launches, evictions, holds, loading code and verification.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and
the reason where there is no GPU. Prints the figures that the README shows.
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

LIMIT_S = 0.050


def phases(row):
    return {name: float(value) for name, value in (part.split("=") for part in row["spent"].split(";"))}


class Cost(planted.Planted):
    def test_a_visit_costs_little_beyond_what_is_measured(self):
        run = self.folder / "run"
        suite = planted.ROOT / "suites" / "quick.yaml"
        self.expect(0, self.plumbline("run", suite, "-o", run, "--device", "cuda", "--rounds", "1"))
        visits = [phases(row) for row in planted.read_rows(run) if row["part"].startswith("1/") and row["spent"]]
        self.assertGreater(len(visits), 30)
        costs = [v["prepare"] + v["measure"] - v["launch"] - v["load"] - v["verify repeats"] for v in visits]
        loads = [v["load"] for v in visits]
        checks = [sum(s for phase, s in v.items() if phase.startswith("verify")) for v in visits]
        print(
            f"{len(visits)} visits: {1e3 * statistics.mean(costs):.1f} ms on average, {1e3 * max(costs):.1f} ms at most; "
            f"loading code {1e3 * statistics.mean(loads):.1f} ms on average, {1e3 * max(loads):.1f} ms at most; "
            f"verification {1e3 * statistics.mean(checks):.1f} ms on average"
        )
        self.assertLessEqual(max(costs), LIMIT_S)


if __name__ == "__main__":
    planted.main_on_gpu()
