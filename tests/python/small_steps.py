"""A small vision transformer and its steps, for tests of plumbline_techniques. Exits with 77 where there is no torch."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "suites" / "networks"), str(ROOT / "harness" / "backends" / "python")]
sys.dont_write_bytecode = True

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import vit  # noqa: E402
from plumbline_techniques import Settings, Step, built  # noqa: E402

torch.set_num_threads(1)
VIT = {"image": 16, "patch": 4, "width": 32, "heads": 2, "hidden": 64, "layers": 3, "classes": 10}


def images():
    generator = torch.Generator().manual_seed(3)
    return {"images": torch.randn(8, 3, 16, 16, generator=generator), "labels": torch.arange(8)}


def step_of(**settings):
    return Step(built(vit.vit, VIT, 1, "cpu"), Settings.of(settings), loss=vit.loss)


def trained(**settings):
    return step_of(step="training", **settings)
