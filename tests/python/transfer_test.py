#!/usr/bin/python3
"""transfer: a step copies its arguments from the host. A planted link stands for the GPU, so that all of it but the copy
itself runs on a CPU."""

import contextlib
import unittest
from unittest import mock

from small_steps import VIT, images, step_of, trained  # first: it finds torch and the package

import torch  # isort: skip
import vit
from plumbline_techniques import BOUNDS, PHASES, Settings, compare
from plumbline_techniques import transfer
from plumbline_techniques.hosted import HostedStep
from plumbline_techniques.transfer import Transfer


class PlantedLink:
    """Tensors that it made are on the host, the copies that it makes are on the device."""

    def __init__(self):
        self.made, self.copies, self.settled = [], [], 0

    def on_host(self, tensor, pinned):
        self.made.append((torch.empty_like(tensor), pinned))
        return self.made[-1][0]

    def is_pinned(self, tensor):
        return any(tensor is mine and pinned for mine, pinned in self.made)

    def is_on_device(self, tensor):
        return not any(tensor is mine for mine, _ in self.made)

    def to_device(self, tensor, pinned):
        self.copies.append((tensor, pinned))
        return tensor.clone()

    def settle(self):
        self.settled += 1


@contextlib.contextmanager
def planted():
    link = PlantedLink()
    with mock.patch.object(transfer, "link_of", lambda device, kind: link):
        yield link


class Refused(unittest.TestCase):
    def test_a_cpu_has_one_memory(self):
        for kind in ("pinned", "pageable"):
            with self.assertRaisesRegex(NotImplementedError, f"transfer: {kind}: a CPU's memory is the host's; --device cuda"):
                step_of(transfer=kind)

    def test_a_graph_cannot_copy_pageable_memory(self):
        with self.assertRaisesRegex(NotImplementedError, "transfer: pageable: a CUDA graph"):
            Settings.of({"graph": True, "transfer": "pageable"})
        Settings.of({"graph": True, "transfer": "pinned"})

    def test_copies_from_other_memory_are_refused(self):
        link = PlantedLink()
        one, tensor = Transfer("pinned", link), torch.ones(3)
        pageable, pinned = link.on_host(tensor, False), link.on_host(tensor, True)
        for seen in ([], [(pageable, tensor)], [(tensor, tensor)], [(pinned, pinned)], [(pinned, tensor), (tensor, tensor)]):
            with self.assertRaisesRegex(NotImplementedError, f"of the {len(seen)} tensors of a step were not copied"):
                one.evidence(seen)
        self.assertEqual(one.evidence([(pinned, tensor)]), {"memory": "pinned", "tensors": 1, "bytes": 12})


class OnTheHost(unittest.TestCase):
    def test_memory_is_used_again_where_it_fits(self):
        link = PlantedLink()
        one = Transfer("pinned", link)
        args = {"x": torch.ones(2, 3), "caches": [torch.zeros(4), torch.ones(1)], "number": 2.5}
        first = one.laid(args)
        second = one.laid({**args, "x": torch.full((2, 3), 7.0), "caches": [torch.ones(4), torch.ones(2)]}, first)
        self.assertIs(second["x"], first["x"])
        self.assertIs(second["caches"][0], first["caches"][0])
        self.assertIsNot(second["caches"][1], first["caches"][1])
        self.assertEqual((float(first["x"].sum()), float(first["caches"][0].sum()), second["number"]), (42, 4, 2.5))
        self.assertTrue(all(pinned for _, pinned in link.made))
        self.assertEqual(link.settled, 2, "an earlier copy may still read that memory")

    def test_the_memory_format_stays(self):
        step_args = {"images": torch.randn(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)}
        laid = Transfer("pageable", PlantedLink()).laid(step_args)
        self.assertTrue(laid["images"].is_contiguous(memory_format=torch.channels_last))
        self.assertTrue(torch.equal(laid["images"], step_args["images"]))


class Steps(unittest.TestCase):
    def test_each_step_copies_all_arguments_first(self):
        with planted() as link:
            step = trained(transfer="pinned", accumulate=2)
            args = step.prepared(**images())
            marks = []
            step.mark = marks.append
            step(**args)
        self.assertEqual(tuple(marks), PHASES[:1] + PHASES[1:4] * 2 + PHASES[4:])
        self.assertEqual([(tensor is args[name], pinned) for name, (tensor, pinned) in zip(args, link.copies)], [(True, True)] * 2)

    def test_the_step_is_that_without_copies_and_tells_its_bytes(self):
        for kind in ("pinned", "pageable"):
            with planted(), self.subTest(kind):
                step = trained(transfer=kind, checkpoint=True)
                args = step.prepared(**images())
                evidence = step.report(**args)
                self.assertEqual(evidence["transfer"], {"memory": kind, "tensors": 2, "bytes": 8 * (3 * 16 * 16 * 4 + 8)})
                self.assertLess(compare(step, **args)["gradients"]["worst"], BOUNDS["float32"])

    def test_arguments_that_are_on_the_device_already_are_no_evidence(self):
        with planted(), self.assertRaisesRegex(NotImplementedError, "2 of the 2 tensors of a step were not copied"):
            trained(transfer="pinned").report(**images())


class Hosted(unittest.TestCase):
    def hosted(self, **settings):
        return HostedStep(vit.vit, VIT, vit.loss, settings, "float32", "cpu")

    def test_new_values_are_copied_when_they_are_taken(self):
        with planted() as link:
            step = self.hosted(step="inference", transfer="pinned")
            self.assertTrue(step.keeps_values)
            args = images()
            step.take_arguments(args, [])
            evidence = step.rehearse(**args)
            first = step(**args)
            args["images"].mul_(2)
            self.assertTrue(torch.equal(step(**args), first), "a change in place does not reach the host")
            made = len(link.made)
            step.take_arguments(args, [])
            self.assertFalse(torch.equal(step(**args), first))
            self.assertEqual(len(link.made), made, "the memory is used again")
        self.assertIn("'memory': 'pinned'", evidence["transfer"])
        expected = step.reference(**{name: value.double() if value.is_floating_point() else value for name, value in args.items()})
        self.assertLess(float((step(**args) - expected).norm() / expected.norm()), BOUNDS["float32"])

    def test_phases_of_inference_and_training(self):
        for kind, names in (("inference", {"data", "forward"}), ("training", set(PHASES))):
            with planted(), self.subTest(kind):
                step = self.hosted(step=kind, transfer="pageable")
                self.assertTrue(step.has_phases())
                step.take_arguments(images(), [])
                step.rehearse(**images())
                step.watch_phases()
                step()
                self.assertEqual(set(step.watched_phases()), names)

    def test_what_a_step_changes_cannot_lie_on_the_host(self):
        with planted(), self.assertRaisesRegex(NotImplementedError, "a step changes images"):
            self.hosted(step="inference", transfer="pinned").take_arguments(images(), ["images"])

    def test_only_copies_of_pinned_memory_may_be_held(self):
        with planted():
            found = [self.hosted(step="inference", transfer=kind).may_be_held() for kind in ("none", "pinned", "pageable")]
        self.assertEqual(found, [True, True, False])

    def test_without_it_nothing_is_copied(self):
        with planted() as link:
            step = self.hosted(step="inference")
            step.take_arguments(images(), ["images"])
            step(**images())
        self.assertEqual((step.keeps_values, step.has_phases(), link.made, link.copies), (False, False, [], []))


if __name__ == "__main__":
    unittest.main()
