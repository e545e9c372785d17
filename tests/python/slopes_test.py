"""Gradients beside differences of the loss: kinks of ReLU are no mistakes, planted mistakes are found."""

import pathlib
import sys
import unittest

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "harness" / "backends" / "python"))

from plumbline_techniques.settings import Settings  # noqa: E402
from plumbline_techniques.slopes import RELATIVE_STEPS, Differences, compared_gradients  # noqa: E402
from plumbline_techniques.step import Step  # noqa: E402

LAYERS, WIDTH = 24, 32
torch.set_num_threads(1)  # more threads wait for each other longer than layers of this size compute


class Deep(nn.Module):
    """Normalised layers with ReLU, which amplify a change from layer to layer, so that differences cross kinks."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS))
        self.norms = nn.ModuleList(nn.BatchNorm1d(WIDTH) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x):
        for layer, norm in zip(self.layers, self.norms):
            x = F.relu(norm(layer(x)))
        return self.head(x)


def step_and_arguments():
    step = Step(Deep().double(), Settings.of({"step": "training"}), loss=lambda outputs, labels: F.cross_entropy(outputs, labels))
    generator = torch.Generator().manual_seed(0)
    return step, {"x": torch.randn(48, WIDTH, generator=generator, dtype=torch.float64),
                  "labels": torch.randint(0, 10, (48,), generator=generator)}  # fmt: skip


class Slopes(unittest.TestCase):
    def test_a_longest_step_alone_would_blame_right_gradients(self):
        step, args = step_and_arguments()
        differences = Differences(step, args)
        errors = [abs(differences.along([name], RELATIVE_STEPS[0]) - 1) for name in list(differences.slopes)[:20]]
        self.assertGreater(max(errors), 0.01, "the network has no kinks in reach")

    def test_right_gradients_fit(self):
        findings = compared_gradients(*step_and_arguments())
        self.assertIsNone(findings.wrong)
        self.assertGreater(findings.compared, LAYERS)

    def test_a_wrong_gradient_is_named_with_its_ratio(self):
        step, args = step_and_arguments()
        step.network.layers[20].weight.register_hook(lambda gradient: gradient / 0.9)
        name, ratio = compared_gradients(step, args).wrong
        self.assertEqual(name, "layers.20.weight")
        self.assertAlmostEqual(ratio, 0.9, places=2)


if __name__ == "__main__":
    unittest.main()
