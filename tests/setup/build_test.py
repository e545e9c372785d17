#!/usr/bin/python3
"""scripts/build and scripts/wheel in temporary checkouts: which torch they build for, and their options."""

import pathlib
import shutil
import unittest

from checkout import Checkout


class Build(Checkout):
    def plant_torch(self, folder, cuda="13"):
        packages = folder / "lib/python3.0/site-packages"
        self.plant(packages / "torch/version.py", "")
        self.plant(packages / "torch/lib/libtorch_cuda.so", "")
        self.plant(packages / f"nvidia/cu{cuda}/include/cuda_runtime.h", "")
        python = f'#!/bin/sh\necho {packages}/torch/__init__.py\n'
        self.plant(folder / "bin/python3", python, 0o755)
        return packages

    def plant_tools(self):
        name = ". scripts/setup; find_python; NEEDS=tools; name_venv; echo $VENV"
        venv = pathlib.Path(self.call("bash", "-c", name).stdout.strip())
        self.plant(venv / ".complete", "")
        return venv

    def settings(self, *words, folder="build", **variables):
        done = self.call("scripts/build", *words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.root / folder / "settings").read_text()

    def test_a_torch_that_is_there_is_taken_and_none_is_installed(self):
        venv = self.plant_tools()
        there = self.plant_torch(self.root / "conda")
        for named in (there, self.root / "conda", self.root / "conda/bin/python3"):
            settings = self.settings("--torch", str(named), "--arch", "90a-real")
            self.assertIn(f"-DPLUMBLINE_TORCH={there} -DCMAKE_CUDA_ARCHITECTURES=90a-real", settings)
            self.assertIn(f"-DPLUMBLINE_VENV={venv}", settings)
        active = self.settings(VIRTUAL_ENV=str(self.root / "conda"))
        self.assertIn(f"-DPLUMBLINE_TORCH={there}", active)

    def test_a_torch_that_does_not_fit_is_refused_by_name_and_not_taken_unasked(self):
        self.plant_torch(self.root / "conda", cuda="12")
        self.expect_refusal(self.call("scripts/build", "--torch", "conda"), "its CUDA is not 13.x")
        self.expect_refusal(self.call("scripts/build", "--torch", "nowhere"), "no torch in nowhere")
        self.plant_finished_set_up()
        settings = self.settings(VIRTUAL_ENV=str(self.root / "conda"))
        self.assertNotIn("PLUMBLINE_TORCH", settings)

    def test_the_command_line_alone_needs_no_torch_and_no_cuda(self):
        self.plant_tools()
        shutil.rmtree(self.root / "cuda")
        settings = self.settings("--cli-only", folder="build-cli")
        self.assertIn("-DPLUMBLINE_WORKER=OFF", settings)
        self.assertNotIn("nvcc", settings)

    def test_an_unknown_option_and_a_missing_value_are_refused(self):
        self.expect_refusal(self.call("scripts/build", "--toch", "x"), "'--toch' is not known", "--torch PATH")
        self.expect_refusal(self.call("scripts/build", "--torch"), "--torch lacks its value")
        self.expect_refusal(self.call("scripts/wheel", "plumbline"), "found 'plumbline'")


if __name__ == "__main__":
    unittest.main()
