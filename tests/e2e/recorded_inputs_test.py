#!/usr/bin/python3
"""Inputs from a file, end to end on the CPU: values are replayed, a changed file is another problem, what does not fit is
told, and results that were kept are found or flagged."""

import json
import shutil
import struct
import sys
import unittest

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch
REPEAT = "inputs from a file repeat: kept results not ruled out"
PROGRAM = planted.ROOT / "tests" / "support" / "captured" / "lookup.py"


def safetensors(**tensors):
    """float32 tensors: name -> (shape, numbers)."""
    header, data = {}, b""
    for name, (shape, numbers) in tensors.items():
        piece = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def sums(expected, self_="file('x.safetensors', 'x')[n]", n=8):
    """A suite that is right only if the sum of its input is this."""
    return planted.suite_text("sums", [
        f"  - {{op: 'aten::sum', args: {{self: \"{self_}\"}}, reference: \"aten::full([], {expected}, dtype='float64')\", "
        f"sweep: {{n: [{n}], dtype: [float32]}}}}\n"
    ])  # fmt: skip


class Recorded(planted.Planted):
    @classmethod
    def environment(cls, **more):
        return super().environment(**({"PLUMBLINE_PYTHON": PYTHON} | more))

    def rows(self, text, run="run", code=0, name="suite.yaml"):
        return planted.read_rows(self.measured(self.plant(name, text), run, code=code))

    def put(self, **tensors):
        (self.folder / "x.safetensors").write_bytes(safetensors(**tensors))


class Values(Recorded):
    def test_the_file_s_values_are_what_a_launch_gets(self):
        self.put(x=([8], [1, 2, 3, 4, 5, 6, 7, 8]))
        [row, *_] = self.rows(sums(36))
        self.assertEqual((row["status"], row["case"]), ("OK", "aten::sum/libtorch/dtype=float32/n=8"))
        self.assertIn(REPEAT, row["flags"])
        [row, *_] = self.rows(sums(37), "wrong", code=1)
        self.assertEqual(row["status"], "WRONG", row["reason"])

    def test_every_recording_takes_part(self):
        self.put(x=([3, 2], [1, 1, 2, 2, 3, 3]))
        seen = self.folder / "seen"
        self.plant("ops.py", f"def f(x):\n    open({str(seen)!r}, 'a').write(f'{{x[0].item():g}}')\n    return x * 2\n")
        rows = self.rows(planted.suite_text("recordings", [
            "  - {op: python, name: f, source: ops.py, function: f, args: {x: \"file('x.safetensors', 'x')[n]\"}, "
            "reference: 'aten::mul(x, 2)', sweep: {n: [2], dtype: [float32]}}\n"
        ]))  # fmt: skip
        for row in rows:
            self.assertEqual((row["status"], REPEAT in row["flags"]), ("OK", True), row["reason"])
        self.assertLessEqual(set("123"), set(seen.read_text()))

    def test_a_shuffle_keeps_the_values_and_changes_their_order(self):
        self.put(x=([4096], range(4096)))
        shuffled = "file('x.safetensors', 'x', shuffle=0)[n]"
        for row in self.rows(sums(sum(range(4096)), shuffled, 4096)):
            self.assertEqual(row["status"], "OK", row["reason"])
            self.assertNotIn(REPEAT, row["flags"])
        first = f"aten::select({shuffled}, 0, 0)"
        self.assertEqual({row["status"] for row in self.rows(sums(0, first, 4096), "first", code=1)}, {"WRONG"})

    def test_numbers_that_are_drawn_beside_those_of_a_file_make_launches_new(self):
        self.put(x=([8], range(8)))
        text = planted.suite_text("mixed", [
            "  - {op: 'aten::add.Tensor', args: {self: \"file('x.safetensors', 'x')[n]\", other: 'randn[n]'}, "
            "sweep: {n: [8], dtype: [float32]}}\n"
        ])  # fmt: skip
        for row in self.rows(text):
            self.assertEqual((row["status"], REPEAT in row["flags"]), ("OK", False), row)


class Changes(Recorded):
    def test_a_changed_byte_is_another_problem(self):
        self.put(x=([8], range(1, 9)))
        before = self.measured(self.plant("suite.yaml", sums(36)), "before")
        content = bytearray((self.folder / "x.safetensors").read_bytes())
        content[-1] ^= 1  # 8 becomes 2
        (self.folder / "x.safetensors").write_bytes(content)
        self.measured(self.folder / "suite.yaml", "same", code=1)
        after = self.measured(self.plant("suite.yaml", sums(30)), "after")
        done = self.plumbline("compare", before, after, "--trust-screen")
        self.expect(3, done)
        self.assertIn("NOT_JUDGED", done.stdout)
        ids = {row["case"] for run in (before, after) for row in planted.read_rows(run)}
        self.assertEqual(len(ids), 1, "the id is stable")
        self.assertEqual(len({row["revision"] for run in (before, after) for row in planted.read_rows(run)}), 2)

    def test_a_file_that_changes_after_the_suite_was_read_is_told(self):
        self.put(x=([8], range(1, 9)))
        hooked = self.folder / "worker"
        file = self.folder / "x.safetensors"
        hooked.write_text(f"""#!/bin/sh
case "$*" in *--profile*)
  dd if=/dev/zero of={file} bs=1 seek=$(($(stat -c %s {file}) - 4)) count=4 conv=notrunc 2>/dev/null ;;
esac
exec {planted.BIN}/plumbline-worker "$@"
""")
        hooked.chmod(0o755)
        rows = planted.read_rows(
            self.measured(self.plant("suite.yaml", sums(36)), "run", "--worker", hooked, code=1)
        )
        self.assertIn("changed since the suite was read; run again", rows[0]["reason"])
        self.assertNotIn("OK", {row["status"] for row in rows})

    def test_mistakes_are_told_before_anything_runs(self):
        self.put(x=([8], [*range(7), float("nan")]))
        suite = self.plant("suite.yaml", sums(36))
        done = self.plumbline("list", suite)
        self.expect(2, done, "suite.yaml:4:", "holds 1 NaN, the first at [7]; if they belong to the data, say so: nan=true")
        self.plant("suite.yaml", sums(36, n=9))
        self.expect(2, self.plumbline("list", suite), "has the shape [8], the expression declares [9]")
        (self.folder / "x.safetensors").unlink()
        self.expect(2, self.plumbline("run", suite), "there is no file ", "x.safetensors")


class KeptResults(Recorded):
    """A cache of results is right where inputs repeat."""

    def found(self, body):
        self.put(x=([1 << 16], [((i * 2654435761) % 65521) / 65521 for i in range(1 << 16)]))
        self.plant("ops.py", f"import torch\nkept = {{}}\n\ndef f(x):\n{body}")
        text = planted.suite_text("kept", [
            "  - {op: python, name: f, source: ops.py, function: f, args: {x: \"file('x.safetensors', 'x')[n]\"}, "
            "reference: 'aten::cumsum(aten::sort(x), 0)', sweep: {n: [65536], dtype: [float32]}}\n"
        ])  # fmt: skip
        run = self.folder / "run"
        self.plumbline(*self.run_words(self.plant("kept.yaml", text), run))
        return planted.read_rows(run)[0]

    def test_one_that_never_forgets_is_wrong(self):
        row = self.found("    if not kept:\n        kept[0] = x.sort()[0].cumsum(0)\n    return kept[0].clone()\n")
        self.assertEqual(row["status"], "WRONG")
        self.assertRegex(row["reason"], "on other inputs|on data that they have seen")

    def test_one_by_value_is_faster_on_seen_data(self):
        row = self.found(
            "    for seen, result in kept.values():\n        if torch.equal(seen, x):\n            return result.clone()\n"
            "    kept[0] = (x.clone(), x.sort()[0].cumsum(0))\n    return kept[0][1].clone()\n"
        )
        self.assertEqual(row["status"], "WRONG", row["reason"])
        self.assertIn("faster on data that they have seen", row["reason"])

    def test_the_honest_twin_is_right(self):
        row = self.found("    return x.sort()[0].cumsum(0)\n")
        self.assertEqual((row["status"], REPEAT in row["flags"]), ("OK", True), row["reason"])


class Capture(Recorded):
    def test_a_program_s_own_inputs_are_replayed(self):
        suite, inputs = self.folder / "lookup.yaml", self.folder / "lookup.safetensors"
        done = self.plumbline("capture", "-o", suite, "--inputs", "--", PYTHON, PROGRAM, 5, PYTHONPATH=planted.ROOT / "harness/python")
        self.expect(0, done, "Inputs of ", "its inputs: ")
        text = suite.read_text()
        for expected in (
            r'self: "aten::as_strided\(file\(\'lookup\.safetensors\', \'[\w.]+\'\)\[2048\], \[32, 64\], \[1, 32\]\)"',
            r"indices: \"file\('lookup\.safetensors', '[\w.]+', dtype=\\\"int64\\\"\)\[64\]\"",
        ):
            self.assertRegex(text, expected.replace("self:", "mat2:"))
        self.assertNotIn("uniform", text)
        run = self.measured(suite, "run")
        rows = planted.read_rows(run)
        self.assertEqual({row["status"] for row in rows}, {"OK"}, [row["reason"] for row in rows if row["reason"]])
        self.assertLess(inputs.stat().st_size, 4096 * 32 * 4 * 2, "the table is there once")

        # One bit of one tensor: the cases that use it are other problems, and no others.
        revisions = {row["case"]: row["revision"] for row in rows}
        content = bytearray(inputs.read_bytes())
        header = json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])
        [weight] = [name for name in header if name.endswith("embedding.weight")]
        content[8 + struct.unpack("<Q", content[:8])[0] + header[weight]["data_offsets"][0]] ^= 1
        inputs.write_bytes(content)
        again = {row["case"]: row["revision"] for row in planted.read_rows(self.measured(suite, "again"))}
        changed = {case for case in again if again[case] != revisions[case]}
        self.assertTrue(changed and all(case.startswith("aten::embedding/") for case in changed), changed)

    def test_what_has_no_room_is_drawn_and_named(self):
        suite = self.folder / "small.yaml"
        done = self.plumbline("capture", "-o", suite, "--inputs", "--inputs-limit", "0.001", "--", PYTHON, "-c",
                              "import torch\nx = torch.ones(1 << 19)\nx + 1\ntorch.ones(8).exp()\n")  # fmt: skip
        self.expect(0, done, "No room for others (--inputs-limit 0.001, in GiB); theirs are drawn:", "aten::add.Scalar 524288")
        self.assertRegex(suite.read_text(), r"self: \"rand\[524288\]\"")
        self.assertIn("file('small.safetensors', 'exp.self')[8]", suite.read_text())

    def test_no_file_of_somebody_else_is_overwritten(self):
        (self.folder / "mine.safetensors").write_text("mine")
        done = self.plumbline("capture", "-o", self.folder / "mine.yaml", "--inputs", "--", "touch", self.folder / "started")
        self.expect(2, done, "mine.safetensors is there, and no suite that capture wrote to ")
        # Weights beside a suite that was captured without inputs.
        self.plant("mine.yaml", "# Operators of mine.py, recorded by plumbline capture\nsuite: mine\n")
        done = self.plumbline("capture", "-o", self.folder / "mine.yaml", "--inputs", "--", "touch", self.folder / "started")
        self.expect(2, done, "mine.safetensors is there")
        self.assertFalse((self.folder / "started").exists())
        self.expect(2, self.plumbline("capture", "-o", "/dev/stdout", "--inputs", "--", "true"), "is no file")

    def test_a_suite_works_from_another_folder_and_a_bare_file(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        suite = self.plant("a.yaml", sums(36))
        self.put(x=([8], range(1, 9)))
        shutil.move(suite, elsewhere)
        shutil.move(self.folder / "x.safetensors", elsewhere)
        done = self.plumbline("run", "a.yaml", "--device", "cpu", "-o", self.folder / "run", cwd=elsewhere)
        self.expect(0, done)


if __name__ == "__main__":
    planted.main()
