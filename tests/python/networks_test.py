#!/usr/bin/python3
"""suites/networks: the networks have the published numbers of parameters, and compute what their papers say."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "suites" / "networks"))
sys.dont_write_bytecode = True

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import bert  # noqa: E402
import llama  # noqa: E402
import lstm  # noqa: E402
import resnet  # noqa: E402
import unet  # noqa: E402
import vit  # noqa: E402

torch.set_num_threads(1)


def parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


def without_memory(factory, **arguments):
    with torch.device("meta"):
        return factory(**arguments)


class Sizes(unittest.TestCase):
    def test_resnet(self):
        self.assertEqual(parameters(without_memory(resnet.resnet50)), 25_557_032)
        self.assertEqual(parameters(without_memory(resnet.resnet50, groups=32, width=4)), 25_028_904)

    def test_vit(self):
        self.assertEqual(parameters(without_memory(vit.vit)), 86_567_656)

    def test_bert(self):
        whole = without_memory(bert.bert)
        self.assertEqual(parameters(whole.blocks), 85_054_464)
        self.assertEqual(parameters(whole) - parameters(whole.head), 109_482_240)

    def test_llama(self):
        # Llama 3 8B has 8,030,261,248: 32 blocks, embedding and head of 128256 words, one norm.
        self.assertEqual(32 * parameters(without_memory(llama.llama)) + 2 * 128_256 * 4096 + 4096, 8_030_261_248)

    def test_unet(self):
        # A residual part has 2,255,040, a transformer 2,546,240.
        self.assertEqual(parameters(without_memory(unet.unet).blocks), 2 * (2_255_040 + 2_546_240))

    def test_lstm(self):
        layers = sum(4 * 512 * (inputs + 512 + 2) for inputs in (256, 512))
        self.assertEqual(parameters(without_memory(lstm.lstm)), 25_000 * 256 + layers + 512 * 2 + 2)


class Computed(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_version_1_5_has_its_strides_in_the_3x3_convolutions(self):
        strides = [block.conv2.stride[0] for block in without_memory(resnet.resnet50).blocks]
        self.assertEqual([i for i, stride in enumerate(strides) if stride == 2], [3, 7, 13])
        self.assertTrue(all(block.conv1.stride == (1, 1) for block in without_memory(resnet.resnet50).blocks))

    def test_decoding_token_by_token_is_the_prefill(self):
        network = llama.llama(width=32, heads=4, kv_heads=2, hidden=48, layers=2).double()
        hidden = torch.randn(3, 5, 32, dtype=torch.float64)
        caches = [torch.full((2, 3, 2, 8, 8), 100.0, dtype=torch.float64) for _ in range(2)]  # 100: nobody may see it
        with torch.no_grad():
            whole = network(hidden)
            for i in range(5):
                one = network(hidden[:, i : i + 1], *caches, torch.tensor([i]))
                torch.testing.assert_close(one, whole[:, i : i + 1], rtol=1e-6, atol=1e-6)

    def test_a_token_does_not_see_later_ones(self):
        network = llama.llama(width=32, heads=4, kv_heads=2, hidden=48)
        hidden = torch.randn(1, 6, 32)
        changed = hidden.clone()
        changed[:, 4] += 1
        with torch.no_grad():
            before, after = network(hidden), network(changed)
        self.assertTrue(torch.equal(before[:, :4], after[:, :4]))
        self.assertFalse(torch.equal(before[:, 5], after[:, 5]))

    def test_rotation_keeps_products_of_equal_distance(self):
        query, key = torch.randn(2, 1, 1, 1, 8, dtype=torch.float64)
        frequencies = torch.tensor([1.0, 0.5, 0.25, 0.125], dtype=torch.float64)

        def product(i, j):
            return float((llama.rotated(query, i * frequencies[None]) * llama.rotated(key, j * frequencies[None])).sum())

        self.assertAlmostEqual(product(7, 3), product(14, 10), places=12)
        self.assertNotAlmostEqual(product(7, 3), product(7, 4), places=3)

    def test_each_loss_takes_the_outputs(self):
        cases = (
            (resnet, resnet.resnet50(classes=3), (torch.randn(2, 3, 32, 32),), torch.tensor([0, 2])),
            (vit, vit.vit(16, 8, 3, 16, 2, 32, 1, 3), (torch.randn(2, 3, 16, 16),), torch.tensor([0, 2])),
            (bert, bert.bert(20, 8, 16, 2, 32, 1, 3), (torch.randint(0, 20, (2, 8)),), torch.tensor([0, 2])),
            (llama, llama.llama(16, 2, 1, 32), (torch.randn(2, 4, 16),), torch.randn(2, 4, 16)),
            (unet, unet.unet(32, 12, 2, 1), (torch.randn(2, 32, 4, 4), torch.rand(2), torch.randn(2, 3, 12)),
             torch.randn(2, 32, 4, 4)),
            (lstm, lstm.lstm(20, 8, 16, 2, 3), (torch.randint(0, 20, (2, 8)),), torch.tensor([0, 2])),
        )  # fmt: skip
        for source, network, inputs, labels in cases:
            with self.subTest(source.__name__):
                loss = source.loss(network(*inputs), labels)
                loss.backward()
                self.assertEqual(loss.dim(), 0)
                self.assertTrue(all(bool(weight.grad.isfinite().all()) for weight in network.parameters()
                                    if weight.grad is not None))  # fmt: skip


if __name__ == "__main__":
    unittest.main()
