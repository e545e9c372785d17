#!/usr/bin/python3
"""`plumbline calibrate` on the CPU device: the rates are plausible for a processor, and are stored."""

import json

import planted


class Calibrate(planted.Planted):
    def test_the_cpu_copies_and_multiplies(self):
        output = self.folder / "peaks.json"
        done = self.plumbline("calibrate", "--device", "cpu", "-o", output)
        self.expect(0, done, "calibrating cpu")
        (record,) = json.loads(output.read_text())
        self.assertEqual((record["device"], record["absent"]), ("cpu", {}))
        for name in ("copy_bytes_per_s", "matmul_float32_flops_per_s"):
            self.assertTrue(1e8 < record["values"][name] < 1e14, record["values"])
            self.assertIn(name + "_uncertainty", record["values"])
            self.assertIn(name, done.stdout)

    def test_where_nothing_can_be_written_nothing_is_measured(self):
        done = self.plumbline("calibrate", "--device", "cpu", "-o", self.folder / "none" / "peaks.json")
        self.expect(2, done, "none/peaks.json: cannot create it: No such file or directory")
        self.assertNotIn("calibrating", done.stderr)


if __name__ == "__main__":
    planted.main()
