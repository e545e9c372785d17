"""suites/nightly: a suite for every family of ops, with shapes of networks, in five minutes on a GPU.

Needs no worker.
"""

import collections
import functools
import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
# What an H200 does in five minutes, at the 0.6 s that a case takes with three rounds and cold caches.
CASES_MAX = 500


def plumbline(*words):
    words = [BUILD / "bin" / "plumbline", *words, "--json"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@functools.cache
def nightly():
    return plumbline("list", ROOT / "suites" / "nightly")


class Nightly(unittest.TestCase):
    def test_every_op_of_the_catalogue_has_shapes_of_a_network(self):
        ops = {op["op"] for op in plumbline("ops")}
        tags = collections.defaultdict(set)
        for case in nightly():
            tags[case["op"]].update(case["tags"])
        catalogue = plumbline("list", ROOT / "suites" / "catalogue.yaml")
        # What networks call on anything: where there are nightly cases, they are sizes.
        of_no_network = {case["op"] for case in catalogue if "overhead" in case["tags"]}
        self.assertEqual({op for op in ops if "network" not in tags[op]}, of_no_network)

    def test_its_cases_fit_into_five_minutes(self):
        self.assertLessEqual(len(nightly()), CASES_MAX)


if __name__ == "__main__":
    unittest.main(verbosity=2)
