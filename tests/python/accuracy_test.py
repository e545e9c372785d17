#!/usr/bin/python3
"""plumbline_techniques.accuracy: training on digits shows what a technique costs, and what could not be seen."""

import contextlib
import io
import json
import os
import pathlib
import random
import statistics
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "harness" / "backends" / "python"))
sys.dont_write_bytecode = True
# The environment of scripts/requirements-accuracy.txt, which scripts/test installs. Its packages come last.
sys.path += map(str, pathlib.Path(os.environ.get("PLUMBLINE_ACCURACY", "/nowhere")).glob("lib/python3*/site-packages"))

try:
    import torch
    from scipy import stats
    from sklearn import datasets  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from plumbline_techniques import accuracy, digits  # noqa: E402

torch.set_num_threads(1)
SEEDS = (0, 1, 2)


class Trained(unittest.TestCase):
    def test_float32_leaves_room_for_losses_and_gains(self):
        for network in digits.NETWORKS:
            with self.subTest(network):
                run = accuracy.plain_run(network, 0, "cpu")
                self.assertGreater(run["accuracy"], 80)
                self.assertLess(run["accuracy"], 97)
                self.assertEqual(len(run["losses"]), accuracy.STEPS)
                self.assertLess(statistics.mean(run["losses"][-20:]), 0.2 * statistics.mean(run["losses"][:5]))

    def test_held_out_images_are_not_trained_with(self):
        (training, _), (held_out, labels) = digits.digits()
        self.assertEqual((len(training), len(held_out), len(labels)), (1000, 797, 797))
        seen = {image.numpy().tobytes() for image in training}
        self.assertFalse(any(image.numpy().tobytes() in seen for image in held_out))

    def test_a_seed_decides_everything(self):
        one, other = (accuracy.one_run("transformer", {}, 1, "cpu") for _ in range(2))
        self.assertEqual((one["losses"], one["accuracy"]), (other["losses"], other["accuracy"]))
        self.assertNotEqual(one["losses"], accuracy.plain_run("transformer", 0, "cpu")["losses"])

    def test_a_harmful_technique_is_seen_and_a_harmless_one_is_not(self):
        harmful = accuracy.accuracy("transformer", {"learning_rate": 0.0}, SEEDS)  # it does not learn
        self.assertLess(harmful["with"]["mean"], 25)
        self.assertLess(harmful["difference"]["mean"], -50)
        self.assertGreater(-harmful["difference"]["mean"], harmful["smallest_visible_loss"])
        harmless = accuracy.accuracy("transformer", {"checkpoint": True}, SEEDS)
        self.assertEqual(harmless["difference"]["values"], [0.0] * 3)
        self.assertEqual(harmless["smallest_visible_loss"], 100 / 797)  # one image
        evidence = harmless["evidence"]["training"]["checkpoint"]
        self.assertLess(evidence["kept_bytes"], evidence["kept_bytes_without"])

    def test_a_changed_network_is_trained_on(self):
        run = accuracy.one_run("transformer", {"share": "clustered", "clusters": 8}, 0, "cpu")
        self.assertEqual(len(run["losses"]), accuracy.STEPS)
        half = accuracy.STEPS // 2
        plain = accuracy.plain_run("transformer", 0, "cpu")["losses"]
        self.assertEqual(run["losses"][:half], plain[:half])
        self.assertGreater(run["losses"][half], plain[half])  # rounded to 8 values in each layer
        self.assertEqual(run["evidence"]["training"]["share"]["values"], 8)

    def test_what_cannot_be_asked(self):
        with self.assertRaisesRegex(ValueError, "three or more"):
            accuracy.accuracy("transformer", {}, (0, 1))
        with self.assertRaisesRegex(ValueError, "convolutional, transformer"):
            accuracy.accuracy("resnet", {}, SEEDS)
        with self.assertRaisesRegex(NotImplementedError, "tf32"):
            accuracy.accuracy("transformer", {"precision": "tf32"}, SEEDS)
        with mock.patch.dict(sys.modules, {"sklearn.datasets": None}):
            with self.assertRaisesRegex(NotImplementedError, "needs scikit-learn"):
                digits.digits()


class Seen(unittest.TestCase):
    def test_the_smallest_visible_loss_is_found_8_times_in_10(self):
        generator = random.Random(0)
        for seeds in (3, 8):
            loss = accuracy.smallest_visible(2.0, seeds)
            critical = stats.t.ppf(0.95, seeds - 1)
            found = 0
            for _ in range(4000):
                values = [generator.gauss(loss, 2.0) for _ in range(seeds)]
                found += statistics.mean(values) / (statistics.stdev(values) / seeds**0.5) > critical
            self.assertAlmostEqual(found / 4000, 0.8, delta=0.03)


class CommandLine(unittest.TestCase):
    def run_with(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            try:
                code = accuracy.main(list(words))
            except SystemExit as ended:
                code = ended.code
        return code, out.getvalue(), err.getvalue()

    def test_json_has_results_and_reasons(self):
        code, out, _ = self.run_with("--network", "transformer", "--technique", "accumulate=4", "--technique",
                                     "precision=tf32", "--seeds", "3", "--json")  # fmt: skip
        done, refused = json.loads(out)
        self.assertEqual((code, done["technique"], len(done["with"]["values"])), (0, {"accumulate": 4}, 3))
        self.assertIn("NVIDIA GPUs", refused["unsupported"])

    def test_mistakes_say_what_is_allowed(self):
        self.assertIn("found 'speed=2'; allowed: NAME=VALUE", self.run_with("--technique", "speed=2")[2])
        self.assertIn("allowed: float32, tf32", self.run_with("--technique", "precision=half")[2])
        self.assertEqual(self.run_with("--seeds", "2", "--technique", "checkpoint=true")[0], 2)


if __name__ == "__main__":
    unittest.main()
