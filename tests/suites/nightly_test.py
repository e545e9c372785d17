"""suites/nightly: a suite for every family of ops, with shapes of networks, in five minutes on a GPU, and whole networks
in four more.

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
# A night may take five minutes on a GPU. With three rounds, cold caches and both timers a case takes 0.527 s on an H200
# whose host has the libraries in memory (docs/evidence/speed.md): 569 cases. Reading the libraries from disk, as after
# a restart of the machine, adds 20 to 30 s.
NIGHT_S = 300
CASE_S = 0.527
CASES_MAX = int(NIGHT_S / CASE_S)
# Whole networks may take four minutes more. A case takes 14.7 s on an H200 (docs/evidence/networks.md).
NETWORKS_S = 240
NETWORK_S = 14.7
NETWORKS_MAX = int(NETWORKS_S / NETWORK_S)
# Ops for which no network gives shapes are marked where suites/catalogue.yaml has their lines. overhead: networks call
# them on any sizes, so nightly cases have sizes. no_network: none of the nightly's networks uses them.
WITHOUT_A_NETWORK = {"overhead", "no_network"}


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
    def test_every_op_of_the_catalogue_has_shapes_of_a_network_or_says_that_there_are_none(self):
        ops = {op["op"] for op in plumbline("ops")}
        tags = collections.defaultdict(set)
        for case in nightly():
            tags[case["op"]].update(case["tags"])
        catalogue = plumbline("list", ROOT / "suites" / "catalogue.yaml")
        of_no_network = {case["op"] for case in catalogue if WITHOUT_A_NETWORK & set(case["tags"])}
        self.assertEqual({op for op in ops if "network" not in tags[op]}, of_no_network)

    def test_its_cases_fit_into_nine_minutes(self):
        networks = [case for case in nightly() if case["suite"] == "nightly-networks"]
        self.assertLessEqual(len(nightly()) - len(networks), CASES_MAX)
        self.assertTrue(0 < len(networks) <= NETWORKS_MAX, networks)


if __name__ == "__main__":
    unittest.main(verbosity=2)
