#!/usr/bin/python3
"""On a GPU: `plumbline calibrate` reports rates that the GPU can reach, and takes seconds.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/ and Python; ends with 77 and the
reason if there is no GPU.
"""

import ctypes
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

LIMIT_S = 5
MEMORY_CLOCK_KHZ, BUS_WIDTH_BITS = 36, 37  # values of CUdevice_attribute
DTYPES = ("float64", "float32", "tf32", "float16", "bfloat16", "int8", "float8")


def bus_peak():
    """Bytes per second from the first GPU's memory clock and bus width."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, number = ctypes.c_int(), ctypes.c_int()

    def ask(what):
        if cuda.cuDeviceGetAttribute(ctypes.byref(number), what, device) != 0:
            raise RuntimeError(f"the driver does not tell attribute {what} of the GPU")
        return number.value

    if cuda.cuInit(0) != 0 or cuda.cuDeviceGet(ctypes.byref(device), 0) != 0:
        raise RuntimeError("the driver gives no GPU")
    return 2 * 1e3 * ask(MEMORY_CLOCK_KHZ) * ask(BUS_WIDTH_BITS) / 8


class Calibrate(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        output = cls.class_folder / "peaks.json"
        cls.done = cls.expect(0, cls.plumbline("calibrate", "--device", "cuda", "-o", output))
        (cls.record,) = json.loads(output.read_text())
        cls.values = cls.record["values"]
        print(cls.done.stdout, cls.done.stderr, f"{cls.record['spent_s']:.1f} s", sep="\n")

    def uncertainty(self, name):
        return self.values[name + "_uncertainty"] / self.values[name]

    def test_it_takes_seconds(self):
        self.assertLessEqual(self.record["spent_s"], LIMIT_S)

    def test_every_value_says_how_far_off_it_may_be(self):
        for name, value in self.values.items():
            with self.subTest(name):
                self.assertGreaterEqual(value, 0)
                if not name.endswith("_uncertainty"):
                    self.assertGreater(value, 0)
                    self.assertIn(name + "_uncertainty", self.values)

    def test_memory_is_as_fast_as_its_bus_allows_and_no_faster(self):
        peak = bus_peak()
        for kind in ("copy", "read", "write"):
            with self.subTest(kind):
                share = self.values[f"{kind}_bytes_per_s"] / peak
                self.assertTrue(0.6 <= share <= 1, share)
                self.assertLess(self.uncertainty(f"{kind}_bytes_per_s"), 0.05)

    def test_products_are_measured_in_every_type_or_their_absence_is_explained(self):
        for dtype in DTYPES:
            name = f"matmul_{dtype}_flops_per_s"
            self.assertTrue(name in self.values or self.record["absent"].get(name), name)

    def test_narrower_types_are_faster_and_nothing_is_faster_than_a_burst(self):
        rates = {d: self.values.get(f"matmul_{d}_flops_per_s") for d in DTYPES}
        self.assertGreater(rates["tf32"], rates["float32"])
        self.assertGreater(rates["bfloat16"], rates["tf32"])
        if rates["float8"]:
            self.assertGreater(rates["float8"], rates["bfloat16"])
        for dtype, rate in rates.items():
            burst = self.values.get(f"matmul_{dtype}_burst_flops_per_s")
            if rate:
                self.assertLessEqual(rate, 1.05 * burst, dtype)

    def test_launches_and_the_bus_are_plausible(self):
        self.assertTrue(0.5e-6 < self.values["launch_s"] < 20e-6)
        self.assertTrue(0.5e-6 < self.values["event_floor_s"] < 10e-6)
        for way in ("h2d", "d2h"):
            pinned = self.values[f"{way}_bytes_per_s"]
            self.assertTrue(1e9 < pinned < 1e12, pinned)
            self.assertLess(self.values[f"{way}_pageable_bytes_per_s"], 1.1 * pinned)


if __name__ == "__main__":
    planted.main_on_gpu()
