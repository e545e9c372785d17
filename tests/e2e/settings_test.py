#!/usr/bin/python3
"""LibTorch's settings, memory formats and 8-bit types, as axes and arguments of any operator."""

import planted

SUITE = """suite: settings
measure: {rounds: 1, blocks_min: 2, blocks_max: 2, samples: 2, warmup_s: 0}
benchmarks:
  - op: aten::put
    sweep: {n: 64, dtype: float32, library.deterministic: [false, true]}
    args: {self: "randn[n]", index: "arange[n]", source: "randn[n]"}
  - op: aten::scaled_dot_product_attention
    sweep: {dtype: float32, library.attention: [auto, math, cudnn]}
    args: {query: "randn[1, 2, 8, 16]", key: "randn[1, 2, 8, 16]", value: "randn[1, 2, 8, 16]"}
  - op: aten::add_.Tensor
    sweep: {n: 64, dtype: float32, library.tf32: true}
    args: {self: "randn[n]", other: "randn[n]"}
  - op: aten::contiguous
    sweep: {dtype: float32, format: [contiguous, channels_last]}
    args: {self: "randn[2, 3, 4, 5]", memory_format: format}
  - op: aten::_to_copy
    sweep: {n: 4096, dtype: [float32, bfloat16], to: [float8_e4m3fn, float8_e5m2]}
    args: {self: "uniform[n]", dtype: to}
"""


class Settings(planted.Planted):
    def rows(self):
        run = self.folder / "run"
        self.plumbline("run", self.plant("s.yaml", SUITE), "--device", "cpu", "-o", run)
        return {row["case"]: (row["status"], row["reason"]) for row in planted.read_rows(run)}

    def test_they_are_in_force_around_the_launch_and_refused_in_libtorchs_words(self):
        rows = self.rows()
        put = "aten::put/libtorch/dtype=float32/{}n=64"
        self.assertEqual(rows[put.format("")][0], "OK")
        status, reason = rows[put.format("library.deterministic=true/")]
        self.assertEqual(status, "UNSUPPORTED")
        self.assertIn("does not have a deterministic implementation", reason)
        attention = "aten::scaled_dot_product_attention/libtorch/dtype=float32"
        self.assertEqual(rows[attention][0], "OK")
        self.assertEqual(rows[attention + "/library.attention=math"][0], "OK")
        self.assertEqual(rows["aten::add_.Tensor/libtorch/dtype=float32/library.tf32=true/n=64"][0], "OK")

    def test_memory_formats_and_types_of_8_bits_are_named(self):
        rows = self.rows()
        for form in ("contiguous", "channels_last"):
            self.assertEqual(rows[f"aten::contiguous/libtorch/dtype=float32/format={form}"], ("OK", ""))
        for dtype in ("float32", "bfloat16"):
            for to in ("float8_e4m3fn", "float8_e5m2"):
                self.assertEqual(rows[f"aten::_to_copy/libtorch/dtype={dtype}/n=4096/to={to}"], ("OK", ""))


if __name__ == "__main__":
    planted.main()
