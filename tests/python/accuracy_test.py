#!/usr/bin/python3
"""plumbline_techniques.accuracy: a short training on digits shows what a technique costs."""

import os
import pathlib
import statistics
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "harness" / "backends" / "python"), str(ROOT / "suites" / "networks")]
sys.dont_write_bytecode = True
# The environment of scripts/requirements-accuracy.txt, which scripts/test installs. Its packages come last.
sys.path += map(str, pathlib.Path(os.environ.get("PLUMBLINE_ACCURACY", "/nowhere")).glob("lib/python3*/site-packages"))

try:
    import torch
    from sklearn import datasets
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import digits  # noqa: E402
from plumbline_techniques import accuracy  # noqa: E402

SEEDS = (0, 1, 2)
RUNS = {}


def task():
    return accuracy.Task.of(digits.digits_task(), "digits_task")


def run(network, seed, **technique):
    """Trained with a technique; each run is computed once."""
    key = (network, seed, *sorted(technique.items()))
    if key not in RUNS:
        settings = {"step": "training", "optimizer": "adamw", **technique}
        learner = accuracy.Learner(getattr(digits, network), {}, digits.loss, settings, "float32", "cpu")
        RUNS[key] = learner.learned(task(), seed)
    return RUNS[key]


class Trained(unittest.TestCase):
    def test_float32_leaves_room_for_losses_and_gains(self):
        for network in ("convolutional", "transformer"):
            with self.subTest(network):
                found = run(network, 0)
                self.assertGreater(found["accuracy"], 0.80)
                self.assertLess(found["accuracy"], 0.97)
                self.assertEqual(len(found["losses"]), task().steps // 10)
                self.assertLess(statistics.mean(found["losses"][-3:]), 0.2 * found["losses"][0])

    def test_the_digits_are_those_of_scikit_learn(self):
        loaded = datasets.load_digits()
        images = torch.cat([task().training["images"], task().held_out["images"]])
        labels = torch.cat([task().training["labels"], task().held_out["labels"]])
        self.assertTrue(torch.equal(images, torch.tensor(loaded.images, dtype=torch.float32)[:, None] / 8 - 1))
        self.assertEqual(labels.tolist(), loaded.target.tolist())

    def test_held_out_images_are_not_trained_with(self):
        training, held_out = task().training, task().held_out
        self.assertEqual((len(training["images"]), len(held_out["images"]), len(held_out["labels"])), (1000, 797, 797))
        seen = {image.numpy().tobytes() for image in training["images"]}
        self.assertFalse(any(image.numpy().tobytes() in seen for image in held_out["images"]))

    def test_a_seed_decides_everything_and_nothing_else_does(self):
        one = run("transformer", 1)
        RUNS.clear()
        threads = torch.get_num_threads()
        torch.set_num_threads(threads + 1)
        torch.manual_seed(123)
        before = torch.get_rng_state()
        other = run("transformer", 1)
        self.assertEqual((one["losses"], one["accuracy"]), (other["losses"], other["accuracy"]))
        self.assertTrue(torch.equal(before, torch.get_rng_state()), "torch's own generator goes on where it was")
        self.assertEqual(torch.get_num_threads(), threads + 1)
        torch.set_num_threads(threads)
        self.assertNotEqual(one["losses"], run("transformer", 0)["losses"])

    def test_a_harmful_technique_is_seen_and_a_harmless_one_is_not(self):
        harmful = [run("transformer", seed, share="clustered", clusters=2)["accuracy"] for seed in SEEDS]
        plain = [run("transformer", seed)["accuracy"] for seed in SEEDS]
        self.assertTrue(all(bad < good - 0.05 for bad, good in zip(harmful, plain)), f"{harmful} {plain}")
        harmless = [run("transformer", seed, checkpoint=True) for seed in SEEDS]
        self.assertEqual([found["accuracy"] for found in harmless], plain)
        evidence = harmless[0]["evidence"]["training"]["checkpoint"]
        self.assertLess(evidence["kept_bytes"], evidence["kept_bytes_without"])

    def test_a_changed_network_is_trained_on(self):
        changed, plain = run("transformer", 0, share="clustered", clusters=8), run("transformer", 0)
        half = len(plain["losses"]) // 2
        self.assertEqual(changed["losses"][:half], plain["losses"][:half])
        self.assertNotEqual(changed["losses"][half:], plain["losses"][half:])
        self.assertEqual(changed["evidence"]["training"]["share"]["values"], 8)

    def test_quantised_weights_are_used_and_not_trained(self):
        used, plain = run("transformer", 0, quantize="int8"), run("transformer", 0)
        self.assertEqual(used["losses"], plain["losses"])
        self.assertIn("quantize", used["evidence"]["inference"])
        self.assertNotIn("quantize", used["evidence"]["training"])

    def test_every_held_out_row_counts_once(self):
        tiny = {"training": {"x": torch.zeros(4, 2), "y": torch.zeros(4)},
                "held_out": {"x": torch.zeros(5, 2), "y": torch.tensor([1, 1, 1, 0, 0])},
                "steps": 2, "batch": 2, "learning_rate": 0.0, "right": lambda outputs, y: y > 0}  # fmt: skip

        class Sum(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(2, 1)

            def forward(self, x):
                return self.linear(x)

        def loss(outputs, y):
            return (outputs.sum(1) - y).square().mean()

        learner = accuracy.Learner(Sum, {}, loss, {}, "float32", "cpu")
        self.assertEqual(learner.learned(accuracy.Task.of(tiny, "tiny"), 0)["accuracy"], 0.6)


class Refused(unittest.TestCase):
    def test_a_technique_that_cannot_be_used(self):
        with self.assertRaisesRegex(NotImplementedError, "tf32"):
            run("transformer", 0, precision="tf32")
        with self.assertRaisesRegex(NotImplementedError, "no learning rate for sgd, only for adamw"):
            run("transformer", 0, optimizer="sgd")

    def test_no_data(self):
        with mock.patch("importlib.util.find_spec", return_value=None):
            with self.assertRaisesRegex(NotImplementedError, "come with scikit-learn, and .* has none"):
                digits.digits_task()

    def test_what_is_no_task(self):
        made = digits.digits_task()
        for changed, words in (
            ([1], "returned a list; allowed: a dict of training, held_out, steps"),
            ({"steps": 3}, "returned steps; allowed: a dict of"),
            ({**made, "batch": 1001}, "gives the batch 1001; allowed: 1 to 797 rows"),
            ({**made, "steps": 1}, "gives 1 steps; allowed: 2 or more"),
            ({**made, "training": {"images": torch.zeros(2), "labels": torch.zeros(3)}}, "{'images': 2, 'labels': 3}"),
        ):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words.replace("{", r"\{")):
                accuracy.Task.of(changed, "digits_task")


if __name__ == "__main__":
    unittest.main()
