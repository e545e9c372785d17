#!/usr/bin/python3
"""The floating-point operations of a step (plumbline_techniques/flops.py), held against what is reckoned by hand."""

import unittest

from small_steps import VIT, images  # first: it finds torch and the package

import torch  # isort: skip
import vit
from plumbline_techniques.flops import model_flops
from plumbline_techniques.hosted import HostedStep
from torch import nn

M, K, N, CLASSES = 8, 12, 20, 5


def mean(outputs):
    return outputs.mean()


class Two(nn.Module):
    """Two products, and batch norm and dropout, which draw numbers and change buffers."""

    def __init__(self):
        super().__init__()
        self.one, self.norm, self.drop, self.two = nn.Linear(K, N), nn.BatchNorm1d(N), nn.Dropout(0.5), nn.Linear(N, CLASSES)

    def forward(self, x):
        return self.two(self.drop(self.norm(self.one(x))))


class Looking(Two):
    """Its code depends on values."""

    def forward(self, x):
        return super().forward(x if float(x.sum()) < 1e9 else x[:1])


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(16, 3 * 16, bias=False)

    def forward(self, x):
        query, key, value = self.project(x).chunk(3, -1)
        return nn.functional.scaled_dot_product_attention(query, key, value)


@torch.library.custom_op("plumbline_test::product", mutates_args=())
def product(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x @ weight.t()


product.register_fake(lambda x, weight: x.new_empty(x.shape[0], weight.shape[0]))


class Custom(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(N, K))

    def forward(self, x):
        return product(x, self.weight)


class Fails(Two):
    def forward(self, x):
        raise RuntimeError("planted")


class Vector(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(K))

    def forward(self, x):
        return x @ self.weight


FORWARD = 2 * M * K * N + 2 * M * N * CLASSES
# Backward, each product has two: gradients of its weights and of its inputs. Nobody asks for those of the first inputs.
TRAINING = 3 * FORWARD - 2 * M * K * N


class Counted(unittest.TestCase):
    def both(self, network, **inputs):
        inputs = inputs or {"x": torch.ones(M, K)}
        return model_flops(network, None, inputs, {}), model_flops(network, mean, inputs, {})

    def test_products_of_a_linear_network(self):
        self.assertEqual(self.both(Two()), (FORWARD, TRAINING))

    def test_products_of_a_convolution(self):
        for groups in (1, 2):
            forward = 2 * 5 * 6 * 4 * 4 * (4 // groups * 3 * 3)
            network = nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=groups)
            self.assertEqual(self.both(network, input=torch.ones(5, 4, 8, 8)), (forward, 2 * forward))
            network = nn.Sequential(nn.Conv1d(4, 4, 1), nn.ConvTranspose1d(4, 6, 9, stride=8, groups=groups))
            first, second = 2 * 5 * 64 * 4 * 4, 2 * 5 * 64 * 4 * (6 // groups * 9)
            self.assertEqual(self.both(network, input=torch.ones(5, 4, 64)), (first + second, 2 * first + 3 * second))

    def test_attention_has_two_products_and_four_backward(self):
        """Fused kernels compute the scores once more, which does not count."""
        project, attention = 2 * 3 * 7 * 16 * 48, 2 * 2 * 3 * 7 * 7 * 16
        found = self.both(Attention(), x=torch.ones(3, 7, 16))
        self.assertEqual(found, (project + attention, 2 * project + 3 * attention))

    def test_products_with_a_vector(self):
        self.assertEqual(self.both(Vector())[0], 2 * M * K)

    def test_a_network_that_looks_at_values_is_computed(self):
        self.assertEqual(self.both(Looking()), (FORWARD, TRAINING))

    def test_what_cannot_be_counted_is_unknown(self):
        for network in (Custom(), Fails(), nn.ReLU()):
            with self.subTest(type(network).__name__):
                inputs = {"input" if isinstance(network, nn.ReLU) else "x": torch.ones(M, K)}
                self.assertIsNone(model_flops(network, None, inputs, {}))

    def test_nothing_changes(self):
        for network in (Two(), Looking()):
            before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
            generator = torch.get_rng_state()
            self.both(network)
            self.assertTrue(torch.equal(torch.get_rng_state(), generator))
            self.assertTrue(all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items()))
            self.assertTrue(all(weight.grad is None and weight.requires_grad for weight in network.parameters()))


class Techniques(unittest.TestCase):
    def flops(self, **settings):
        return HostedStep(vit.vit, VIT, vit.loss, settings, "float32", "cpu").flops(images())

    def test_how_a_step_is_computed_changes_nothing(self):
        plain = self.flops(step="training")
        self.assertGreater(plain, 2 * self.flops(step="inference"))
        for settings in ({"checkpoint": True}, {"accumulate": 4}, {"precision": "bfloat16"}, {"sdpa": "flash"},
                         {"sdpa": "math"}, {"compile": True}, {"share": "clustered"}):  # fmt: skip
            with self.subTest(settings):
                self.assertEqual(self.flops(step="training", **settings), plain)
        self.assertEqual(self.flops(step="inference", quantize="int4_weights"), self.flops(step="inference"))

    def test_a_smaller_network_has_fewer(self):
        plain, pruned = self.flops(step="training"), self.flops(step="training", prune="structured")
        self.assertTrue(0.5 * plain < pruned < 0.9 * plain, (plain, pruned))


if __name__ == "__main__":
    unittest.main()
