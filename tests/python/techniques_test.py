#!/usr/bin/python3
"""harness/backends/python/plumbline_techniques on a CPU: a technique does what it says, and is refused if it does not."""

import functools
import unittest
import weakref

import small_steps
from small_steps import images, step_of, trained  # first: it finds torch and the package

import torch  # isort: skip
import bert
import unet
import vit
from plumbline_techniques import BOUNDS, PHASES, Settings, Step, built, compare, reference_of
from plumbline_techniques import allocators, compared, observed, optimizers, precision
from plumbline_techniques.hosted import NEVER, HostedStep


class Sums(torch.nn.Module):
    """One weight for each column, and a loss that is their product with the inputs: gradients are the inputs' sums."""

    def __init__(self, width=4):
        super().__init__()
        self.linear = torch.nn.Linear(width, 1, bias=False)

    def forward(self, x):
        return self.linear(x)


def sum_of(outputs, factor=None):
    return outputs.float().sum() if factor is None else outputs.float().sum() * factor


class Refused(unittest.TestCase):
    def refused(self, words, function, *args, error=NotImplementedError, **kwargs):
        with self.assertRaises(error) as raised:
            function(*args, **kwargs)
        self.assertIn(words, str(raised.exception))

    def test_unknown_values_are_named_with_what_is_allowed(self):
        self.refused("float32, tf32, bfloat16, float16", Settings.of, {"precision": "half"}, error=ValueError)
        self.refused("found the technique 'precison'", Settings.of, {"precison": "float16"}, error=ValueError)
        self.refused("compile: found 1", Settings.of, {"compile": 1}, error=ValueError)
        self.refused("found the argument 'image'", step_of(), image=images()["images"], error=ValueError)

    def test_what_excludes_each_other_or_has_no_gradients(self):
        for settings in ({"quantize": "int8"}, {"prune": "2:4", "precision": "bfloat16"}):
            self.refused("no gradients", Settings.of, {"step": "training", **settings})
        self.refused("inference", Settings.of, {"checkpoint": True})
        self.refused("fused", Settings.of, {"step": "training", "graph": True, "precision": "float16"})

    def test_what_needs_a_gpu(self):
        for settings in ({"precision": "tf32"}, {"graph": True}, {"quantize": "fp8"}, {"prune": "2:4", "precision": "bfloat16"}):
            with self.subTest(settings):
                self.refused("GPU", step_of, **settings)
        for kind in ("native", "expandable_segments", "cuda_malloc_async"):
            self.refused(f"allocator: {kind}: it gives memory of a GPU; --device cuda has it", step_of, allocator=kind)
        self.refused("No viable backend", lambda: step_of(sdpa="cudnn").report(images=images()["images"]))

    def test_what_the_network_does_not_have(self):
        def plain(**settings):
            return Step(Sums(), Settings.of({"step": "training", **settings}), loss=sum_of)

        self.refused("lists no `blocks`", plain, checkpoint=True)
        self.refused("lists no channels", plain, prune="structured")
        self.refused("no `blocks` of the same shape", plain, share="tied")
        self.refused("no convolution", plain, memory_format="channels_last")
        self.refused("attention ran as no fused operator", lambda: plain(sdpa="flash").report(x=torch.ones(2, 4)))

    def test_a_technique_that_is_not_active_is_refused(self):
        class Stubborn(torch.nn.Linear):
            def forward(self, x):  # computes in float32, whatever is asked for
                with torch.autocast("cpu", enabled=False):
                    return super().forward(x)

        step = Step(Stubborn(4, 4), Settings.of({"precision": "bfloat16"}))
        self.refused("no product ran in bfloat16; seen: float32", lambda: step.report(x=torch.ones(2, 4)))
        for kind, used, words in (
            ("native", ("pluggable", 0, 0), "came from the allocator 'pluggable', not from 'native'"),
            ("native", ("native", 3, 1), "1 of 3 segments can grow"),
            ("expandable_segments", ("native", 3, 0), "0 of 3 segments can grow"),
            ("expandable_segments", ("native", 0, 0), "0 of 0 segments"),
            ("cuda_malloc_async", ("native", 3, 0), "came from the allocator 'native', not from 'cudaMallocAsync'"),
        ):
            self.refused(words, allocators.evidence, kind, allocators.InUse(*used))
        seen = observed.Observed()
        seen.operators.update(["_foreach_add_"])
        self.refused("0 fused and 1 foreach", optimizers.evidence, Settings(update="fused"), seen.operators)


class Evidence(unittest.TestCase):
    def test_the_allocator_that_gave_the_memory_is_told(self):
        found = [allocators.evidence(kind, allocators.InUse(*used)) for kind, used in (
            ("native", ("native", 3, 0)), ("expandable_segments", ("native", 2, 2)), ("cuda_malloc_async", ("cudaMallocAsync", 0, 0)),
        )]  # fmt: skip
        self.assertEqual(found, [{"backend": "native", "segments": 3, "expandable": 0},
                                 {"backend": "native", "segments": 2, "expandable": 2}, {"backend": "cudaMallocAsync"}])


class AgainstFloat64(unittest.TestCase):
    def errors(self, bound, **settings):
        step = step_of(**settings)
        args = step.prepared(**images())
        evidence = step.report(**args)
        found = compare(step, **args)
        for what in ("loss", "gradients", "outputs"):
            if what in found:
                self.assertLess(found[what]["total"], bound, (settings, what, found[what]))
        return evidence

    def test_inference(self):
        for kind in ("float32", "bfloat16", "float16"):
            evidence = self.errors(BOUNDS[kind], precision=kind)
            self.assertEqual(set(evidence["precision"]["products"]), {kind})

    def test_training(self):
        for kind in ("float32", "bfloat16", "float16"):
            evidence = self.errors(BOUNDS[kind], step="training", precision=kind)
            self.assertEqual(set(evidence["precision"]["products"]), {kind})

    def test_techniques_that_compute_the_same(self):
        for settings in ({"update": "foreach"}, {"update": "fused", "optimizer": "adamw"}, {"memory_format": "channels_last"},
                         {"sdpa": "math"}, {"sdpa": "flash"}, {"max_norm": 0.1}, {"share": "tied"}, {"share": "clustered"},
                         {"prune": "structured"}):  # fmt: skip
            with self.subTest(settings):
                self.errors(BOUNDS["float32"], step="training", **settings)

    def test_quantised(self):
        for kind in ("int8", "int4_weights"):
            evidence = self.errors(compared.QUANTIZED_BOUNDS[kind], quantize=kind)["quantize"]
            self.assertLess(evidence["bytes"], evidence["dense_bytes"] / 2)

    def test_compiled(self):
        evidence = self.errors(BOUNDS["float32"], compile=True)
        self.assertEqual((evidence["compile"]["graphs"], evidence["compile"]["graph_breaks"]), (1, 0))

    def test_graph_breaks_are_reported(self):
        class Broken(Sums):
            def forward(self, x):
                y = self.linear(x)
                torch._dynamo.graph_break()
                return y + 1

        evidence = Step(Broken(), Settings.of({"compile": True})).report(x=torch.ones(2, 4))["compile"]
        self.assertEqual((evidence["graphs"], evidence["graph_breaks"], len(evidence["reasons"])), (2, 1, 1))

    def test_a_wrong_gradient_is_seen(self):
        step = trained()
        weight = step.network.blocks[1].down.weight
        self.assertLess(compare(step, **images())["gradients"]["worst"], BOUNDS["float32"])
        weight.register_hook(lambda gradient: gradient * 1.01)
        found = compare(step, **images())
        self.assertEqual(found["gradients"]["at"], "blocks.1.down.weight")
        self.assertAlmostEqual(found["gradients"]["worst"], 0.01, places=4)
        self.assertLess(found["loss"]["total"], BOUNDS["float32"])

    def test_a_wrong_update_is_seen(self):
        step = trained()
        step.optimizer.param_groups[0]["lr"] *= 1.1
        found = compare(step, **images())
        self.assertAlmostEqual(found["updates"]["total"], 0.1, places=2)
        self.assertLess(found["gradients"]["worst"], BOUNDS["float32"])

    def test_errors_of_known_vectors(self):
        one = {"a": torch.tensor([3.0, 4.0]), "b": torch.tensor([0.0])}
        other = {"a": torch.tensor([3.0, 4.5]), "b": torch.tensor([0.0])}
        found = compared.errors(other, one)
        self.assertEqual((found["at"], round(found["worst"], 12), round(found["total"], 12)), ("a", 0.1, 0.1))
        found = compared.errors({**one, "b": torch.tensor([float("nan")])}, one)
        self.assertEqual(found["at"], "b")


class Training(unittest.TestCase):
    def results(self, step, args):
        loss = step(**args)
        return loss, {name: gradient.clone() for name, gradient in step.gradients().items()}

    def test_phases_come_in_order(self):
        marks = []
        step = trained(accumulate=2)
        step.mark = marks.append
        step(**images())
        self.assertEqual(("data", *marks), PHASES[:1] + PHASES[1:4] * 2 + PHASES[4:])  # nothing is copied from elsewhere
        marks.clear()
        step.report(**images())
        self.assertEqual(marks, [])  # nothing of it is timed

    def test_micro_batches_add_up_to_the_batch(self):
        (loss, gradients), (whole, expected) = self.results(trained(accumulate=4), images()), self.results(trained(), images())
        self.assertAlmostEqual(float(loss), float(whole), places=6)
        self.assertLess(compared.errors(gradients, expected)["worst"], BOUNDS["float32"])
        with self.assertRaisesRegex(ValueError, "8 rows, which is no multiple of 3"):
            trained(accumulate=3)(**images())

    def test_checkpoints_keep_less_and_give_the_same_gradients(self):
        step = trained(checkpoint=True)
        (loss, gradients), (whole, expected) = self.results(step, images()), self.results(trained(), images())
        self.assertEqual(float(loss), float(whole))
        for name, gradient in gradients.items():
            self.assertTrue(torch.equal(gradient, expected[name]), name)
        evidence = step.report(**images())["checkpoint"]
        inputs = 3 * 8 * 17 * 32 * 4  # of three blocks: 8 images of 17 tokens
        self.assertGreaterEqual(evidence["kept_bytes"], inputs)
        self.assertLess(evidence["kept_bytes"], evidence["kept_bytes_without"] / 3)

    def test_reset_restores_bit_for_bit(self):
        for settings in ({}, {"optimizer": "adamw", "update": "fused"}, {"precision": "float16", "scale": 2.0**8}):
            with self.subTest(settings):
                step = trained(**settings)
                args, start = images(), {name: weight.clone() for name, weight in step.weights().items()}
                first = self.results(step, args)
                self.assertFalse(torch.equal(step.weights()["head.weight"], start["head.weight"]))
                after = {name: weight.clone() for name, weight in step.weights().items()}
                step(**args)
                step.reset()
                self.assertTrue(all(torch.equal(weight, start[name]) for name, weight in step.weights().items()))
                again = self.results(step, args)
                self.assertTrue(torch.equal(first[0], again[0]))
                self.assertTrue(all(torch.equal(first[1][name], again[1][name]) for name in first[1]))
                self.assertTrue(all(torch.equal(weight, after[name]) for name, weight in step.weights().items()))

    def test_reset_restores_running_means_and_dropout(self):
        network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))
        step = Step(network, Settings.of({"step": "training"}), loss=sum_of)
        args = {"input": torch.randn(8, 4)}
        step.reset()
        first, mean = step(**args), network[1].running_mean.clone()
        self.assertNotEqual(float(mean.abs().sum()), 0)
        step.reset()
        self.assertEqual(float(network[1].running_mean.abs().sum()), 0)
        self.assertTrue(torch.equal(step(**args), first))

    def test_report_leaves_the_state(self):
        step = trained(precision="float16", scale=2.0**10)
        step(**images())
        before = {name: tensor.clone() for name, tensor in step.tensors().items()}
        step.report(**images())
        self.assertTrue(all(torch.equal(tensor, before[name]) for name, tensor in step.tensors().items()))

    def test_batch_norm_in_micro_batches_has_such_a_reference(self):
        module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.Linear(784, 10))
        step = Step(module, Settings.of({"step": "training", "accumulate": 2}), loss=vit.loss)
        args = {"input": images()["images"], "labels": images()["labels"]}
        self.assertLess(compare(step, **args)["gradients"]["total"], BOUNDS["float32"])

    def test_clipped_gradients_have_the_norm(self):
        for settings in ({}, {"precision": "float16", "scale": 2.0**10}):
            step = trained(max_norm=0.25, **settings)
            step(**images())
            norm = sum(float(gradient.norm()) ** 2 for gradient in step.gradients().values()) ** 0.5
            self.assertAlmostEqual(norm, 0.25, places=5)


class Scaled(unittest.TestCase):
    """float16: gradients of Sums are the sums of the inputs, so that an overflow can be planted."""

    def step(self, update, scale=1024.0):
        settings = {"step": "training", "precision": "float16", "update": update, "scale": scale, "weight_decay": 0.0}
        return Step(Sums(), Settings.of(settings), loss=sum_of)

    def test_an_overflow_skips_the_step_and_halves_the_scale(self):
        for update in ("plain", "foreach", "fused"):
            with self.subTest(update):
                step = self.step(update)
                before = step.network.linear.weight.detach().clone()
                step(x=torch.full((2, 4), 100.0))  # 200 * 1024 is above 65504
                self.assertTrue(torch.equal(step.network.linear.weight, before))
                self.assertEqual(step.scale.record(), {"scale": 512.0, "skipped_steps": 1})
                step(x=torch.full((2, 4), 1.0))
                self.assertEqual(step.scale.record(), {"scale": 512.0, "skipped_steps": 1})
                torch.testing.assert_close(step.network.linear.weight, before - 0.01 * 2, rtol=1e-4, atol=1e-5)
                self.assertTrue(torch.equal(step.gradients()["linear.weight"], torch.full((1, 4), 2.0)))
                step.reset()
                self.assertEqual(step.scale.record(), {"scale": 1024.0, "skipped_steps": 0})

    def test_report_finds_a_scale_that_does_not_overflow(self):
        step = self.step("plain")
        evidence = step.report(x=torch.full((2, 4), 100.0))["precision"]
        self.assertEqual((evidence["scale"], evidence["skipped_steps"]), (256.0, 2))
        step.reset()
        step(x=torch.full((2, 4), 100.0))
        self.assertEqual(step.scale.record(), {"scale": 256.0, "skipped_steps": 0})

    def test_a_step_that_failed_midway_spoils_no_later_one(self):
        step = self.step("plain")
        step.scale.scaler.step, whole = None, step.scale.scaler.step  # fails after the gradients are unscaled
        with self.assertRaises(TypeError):
            step(x=torch.full((2, 4), 1.0))
        step.scale.scaler.step = whole
        step(x=torch.full((2, 4), 1.0))
        self.assertTrue(torch.equal(step.gradients()["linear.weight"], torch.full((1, 4), 2.0)))

    def test_timed_steps_never_raise_the_scale_and_leave_no_weights_behind(self):
        step = HostedStep(Sums, {}, sum_of, {"step": "training", "precision": "float16", "weight_decay": 0.0}, "float32", "cpu")
        step.rehearse(x=torch.full((2, 4), 1.0))
        self.assertEqual(step.step.scale.scaler.get_growth_interval(), NEVER)
        weight = weakref.ref(step.step.network.linear.weight)
        step.close()
        self.assertIsNone(weight())

    def test_float32_is_not_tf32(self):
        self.assertLess(precision.rounding(torch.device("cpu")), precision.FLOAT32_ROUNDING)


class OtherNetworks(unittest.TestCase):
    def test_weights_of_bfloat16_multiply_in_bfloat16(self):
        for trains in ("inference", "training"):
            network = built(vit.vit, small_steps.VIT, 1, "cpu").to(torch.bfloat16)
            step = Step(network, Settings.of({"step": trains}), loss=vit.loss)
            args = images() | {"images": images()["images"].to(torch.bfloat16)}
            if trains == "inference":
                args.pop("labels")
            self.assertIn("bfloat16", step.report(**args)["precision"]["products"])

    def test_attention_that_torch_does_not_have_is_named(self):
        with self.assertRaisesRegex(NotImplementedError, "^sdpa: flash: No available kernel"), step_of(sdpa="flash").reasons():
            raise RuntimeError("No available kernel. Aborting execution.")

    def test_bert_and_unet_against_float64(self):
        generator = torch.Generator().manual_seed(5)
        random = functools.partial(torch.randn, generator=generator)
        tokens = torch.randint(0, 50, (4, 8), generator=generator)
        cases = (
            (bert.bert, bert.loss, {"vocabulary": 50, "positions": 8, "width": 32, "heads": 2, "hidden": 64, "layers": 2},
             {"tokens": tokens, "labels": torch.arange(4) % 2}),
            (unet.unet, unet.loss, {"channels": 32, "text_width": 16, "heads": 2, "layers": 1},
             {"latents": random(4, 32, 4, 4), "time": torch.arange(4.0) * 250, "text": random(4, 5, 16), "labels": random(4, 32, 4, 4)}),
        )  # fmt: skip
        for factory, loss, sizes, args in cases:
            for settings in ({}, {"checkpoint": True, "accumulate": 2, "precision": "bfloat16"}):
                with self.subTest(factory.__name__, settings=settings):
                    step = Step(built(factory, sizes, 1, "cpu"), Settings.of({"step": "training", **settings}), loss=loss)
                    step.report(**args)
                    bound = BOUNDS[settings.get("precision", "float32")]
                    self.assertLess(compare(step, **args)["gradients"]["total"], bound)

    def test_the_reference_is_float64_and_plain(self):
        reference = reference_of(trained(precision="bfloat16", checkpoint=True, update="fused"))
        self.assertEqual({weight.dtype for weight in reference.weights().values()}, {torch.float64})
        self.assertEqual((reference.settings.precision, reference.settings.checkpoint), ("float32", False))
        args = {name: compared.float64(value) for name, value in images().items()}
        self.assertEqual(reference(**args).dtype, torch.float64)


if __name__ == "__main__":
    unittest.main()
