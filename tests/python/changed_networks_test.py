#!/usr/bin/python3
"""plumbline_techniques: what makes another network of it. Pruned, shared and quantised weights are what they should be."""

import unittest

from small_steps import VIT, images, step_of, trained  # first: it finds torch and the package

import torch  # isort: skip
import resnet
import vit
from plumbline_techniques import built, observed, pruning, quantization, sharing


class Changed(unittest.TestCase):
    def test_structured_pruning_shrinks_and_keeps_the_largest(self):
        step = step_of(prune="structured", fraction=0.75)
        block = step.network.blocks[0]
        self.assertEqual((tuple(block.up.weight.shape), tuple(block.down.weight.shape)), ((16, 32), (32, 16)))
        original = built(vit.vit, VIT, 1, "cpu").blocks[0]
        kept = original.up.weight.abs().sum(1).topk(16).indices.sort().values
        self.assertTrue(torch.equal(block.up.weight, original.up.weight[kept]))
        self.assertTrue(torch.equal(block.down.weight, original.down.weight[:, kept]))
        evidence = step.report(images=images()["images"])
        self.assertEqual(evidence["prune"], {"layers": 3, "removed_channels": 144, "channels": 192})
        self.assertEqual(evidence["weights"]["parameters"], sum(weight.numel() for weight in original.parameters()) * 3
                         - 3 * 48 * (32 + 1 + 32) + sum(parameter.numel() for name, parameter in step.network.named_parameters()
                                                        if not name.startswith("blocks")))  # fmt: skip

    def test_channels_that_are_zero_can_be_removed_without_a_change(self):
        network = built(resnet.resnet50, {"classes": 3}, 1, "cpu").eval()
        for part in network.blocks:
            for makers, _ in part.prunable:
                with torch.no_grad():
                    for tensor in (makers[0].weight, makers[1].weight, makers[1].bias):
                        tensor[::2] = 0
        x = torch.randn(1, 3, 64, 64)
        with torch.no_grad():
            before = network(x)
            pruning.remove_channels(network, 0.5)
            self.assertEqual(tuple(network.blocks[0].conv2.weight.shape), (32, 32, 3, 3))
            torch.testing.assert_close(network(x), before, rtol=1e-4, atol=1e-4)

    def test_two_of_four(self):
        layer = torch.nn.Sequential(torch.nn.Linear(8, 1))
        with torch.no_grad():
            layer[0].weight.copy_(torch.tensor([[1.0, -4.0, 2.0, 3.0, 0.5, 0.1, -0.2, 0.3]]))
        pruning.zero_two_of_four(layer)
        self.assertEqual(layer[0].weight.tolist()[0], [0.0, -4.0, 0.0, 3.0, 0.5, 0.0, 0.0, torch.tensor(0.3).item()])
        self.assertEqual(observed.weights_of(layer)["zeros"], 4 / 9)

    def test_clustered_weights_have_at_most_k_values(self):
        step = trained(share="clustered", clusters=5)
        for _ in range(3):
            step(**images())
        layers = [layer for layer in step.network.modules() if isinstance(layer, sharing.Clustered)]
        self.assertEqual(len(layers), 3 * 4 + 2)
        for layer in layers:
            self.assertLessEqual(len(layer.weight.unique()), 5)
            self.assertEqual(layer.indices.dtype, torch.uint8)
        evidence = step.report(**images())["share"]
        self.assertEqual(evidence["values"], 5)
        self.assertLess(evidence["bytes"], 0.27 * evidence["dense_bytes"])

    def test_clusters_that_are_there_are_found(self):
        truth = torch.tensor([-2.0, -0.5, 0.25, 3.0])
        indices = torch.randint(0, 4, (40, 30), generator=torch.Generator().manual_seed(0))
        codebook, found = sharing.clustered(truth[indices], 4)
        self.assertTrue(torch.equal(codebook, truth))
        self.assertTrue(torch.equal(found.long(), indices))

    def test_fewer_values_than_clusters(self):
        weights = torch.tensor([[1.0, 2.0, 1.0, 2.0, 2.0]])
        codebook, found = sharing.clustered(weights, 4)
        self.assertTrue(torch.equal(codebook[found.long()], weights))

    def test_tied_blocks_are_one(self):
        step = trained(share="tied")
        one, two, three = step.network.blocks
        self.assertIs(one.up.weight, three.up.weight)
        step(**images())
        self.assertIs(two.up.weight, one.up.weight)
        plain = trained()
        blocks = sum(weight.numel() for weight in plain.network.blocks.parameters())
        saved = sum(weight.numel() for weight in plain.weights().values()) - sum(weight.numel() for weight in step.weights().values())
        self.assertEqual(saved, blocks * 2 // 3)

    def test_fp8_layer(self):
        torch.manual_seed(0)
        layer, x = torch.nn.Linear(64, 32), torch.randn(5, 7, 64)
        y = quantization.Fp8Linear(layer)(x)
        expected = layer(x)
        self.assertEqual((y.shape, y.dtype), (expected.shape, torch.float32))
        self.assertLess(float((y - expected).norm() / expected.norm()), 0.06)  # a mantissa of 3 bits
        big = quantization.Fp8Linear(layer)(x * 1e4)
        torch.testing.assert_close(big - layer.bias, (y - layer.bias) * 1e4, rtol=0.02, atol=50.0)

    def test_int4_layer_is_exact_for_16_equal_steps(self):
        layer = torch.nn.Linear(32, 16, bias=False)
        with torch.no_grad():
            layer.weight.copy_(torch.arange(16.0).repeat(16, 2) - 4)
        x = torch.eye(32)
        self.assertTrue(torch.equal(quantization.Int4Linear(layer)(x), layer(x)))

    def test_layers_that_do_not_fit_are_named(self):
        module = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Linear(32, 10))
        found = quantization.replace_linears(module, quantization.Int4Linear)
        self.assertEqual((found["layers"], found["left"]), (1, ["1"]))


if __name__ == "__main__":
    unittest.main()
