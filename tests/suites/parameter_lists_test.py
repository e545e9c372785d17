"""The lists of parameters in the catalogue are those of the networks in suites/networks.

Needs torch, and no worker.
"""

import collections
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
SKIPPED = 77

try:
    import torch
except ImportError:
    print("this Python has no torch")
    sys.exit(SKIPPED)

NETWORKS = {"bert_base": ("bert", "bert"), "llama_block": ("llama", "llama"), "resnet50": ("resnet", "resnet50")}


def sizes_in(cost):
    """{list: Counter of the sizes of its tensors}, of the expression that counts them."""
    lists = {}
    for name, words in re.findall(r"list == '(\w+)' \? ([^:]*) :", cost):
        sizes = collections.Counter()
        for times, size in re.findall(r"(\d+) \* ceil_div\((\d+), shards\)", words):
            sizes[int(size)] += int(times)
        lists.setdefault(name, sizes)
    return lists


def sizes_of(module, function):
    sys.path.insert(0, str(ROOT / "suites" / "networks"))
    try:
        make = getattr(importlib.import_module(module), function)
    finally:
        sys.path.pop(0)
    with torch.device("meta"):  # without memory
        network = make()
    return collections.Counter(parameter.numel() for parameter in network.parameters())


class ParameterLists(unittest.TestCase):
    def test_each_list_has_the_tensors_of_its_network(self):
        words = [BUILD / "bin" / "plumbline", "ops", "--json"]
        ops = json.loads(subprocess.run(words, check=True, capture_output=True, encoding="utf-8", timeout=60).stdout)
        [adamw] = (op for op in ops if op["op"] == "adamw")
        [choice] = (param for param in adamw["params"] if param["name"] == "list")
        self.assertEqual(set(choice["allowed"]), {"equal", *NETWORKS})
        found = sizes_in(adamw["cost"]["forward"]["flops"])
        for name, network in NETWORKS.items():
            with self.subTest(list=name):
                self.assertEqual(found[name], sizes_of(*network))


if __name__ == "__main__":
    unittest.main(verbosity=2)
