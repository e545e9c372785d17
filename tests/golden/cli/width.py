"""Tables fit the terminal and mark noisy times; a suite is found by its name, or the nearest name is suggested."""

import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios

import fault_test
from fault_test import FaultTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import planted_run

TIMEOUT_S = 120


class Shown(FaultTest):
    def on_terminal(self, columns, *arguments):
        """Standard output on a terminal of that width."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = self.environment | {"TERM": "xterm"}
        process = subprocess.Popen(
            [fault_test.PROGRAM, *arguments], cwd=self.work, env=environment,
            stdin=subprocess.DEVNULL, stdout=side, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(side)
        text = b""
        try:
            while piece := os.read(main, 65536):
                text += piece
        except OSError:  # the other side is closed
            pass
        os.close(main)
        process.wait(TIMEOUT_S)
        return text.decode().replace("\r\n", "\n")

    def compared(self, columns=None):
        ids = [f"op{i % 4}/libtorch/cols={2**i}/direction=backward/dtype=float16/layout=contiguous" for i in range(20)]
        for folder, seed, slower in (("before", 1, None), ("now", 2, {ids[3]: 1.3, ids[7]: 1.2})):
            if not (self.work / folder).exists():
                planted_run.write_run(self.work / folder, ids, seed=seed, slower=slower, process_sd=0.0003)
        if columns:
            return self.on_terminal(columns, "compare", "before", "now")
        return self.plumbline("compare", "before", "now")[1]

    def table_of(self, text):
        """Lines of the table, between two empty lines: the answer is above it."""
        lines = text.split("\n\n")[1].splitlines()
        self.assertTrue(any("op3" in line for line in lines), text)
        return lines

    def test_the_table_of_a_comparison_fits_the_terminal(self):
        for columns in (80, 100, 140):
            plain = "".join(part.split("m", 1)[-1] for part in ("m" + self.compared(columns)).split("\x1b["))
            for line in self.table_of(plain):
                self.assertLessEqual(len(line), columns)
            self.assertRegex(plain, r"LOOKS_SLOWER|SLOWER")
            self.assertRegex(plain, r"\+29\.9.% \[\+28\.3, \+31\.6\]")

    def test_sentences_break_between_words(self):
        words = set(self.compared().split())
        for columns in (40, 60, 80):
            text = self.plumbline("compare", "before", "now", COLUMNS=str(columns))[1]
            answer, _, *rest = text.split("\n\n")  # the table is between them
            sentences = "\n".join([answer, *rest])
            for line in sentences.splitlines():
                self.assertTrue(len(line) <= columns or len(line.split()) == 1, line)
            self.assertLessEqual(set(sentences.split()), words, "no word is broken")

    def test_in_a_pipe_it_is_whole_unless_columns_says_otherwise(self):
        self.assertGreater(max(map(len, self.table_of(self.compared()))), 140)
        out = self.plumbline("compare", "before", "now", COLUMNS="80")[1]
        self.assertLessEqual(max(map(len, self.table_of(out))), 80)

    def test_so_do_the_tables_of_other_commands(self):
        self.compared()
        case = "op3/libtorch/cols=8/direction=backward/dtype=float16/layout=contiguous"
        commands = (
            ["variance", "before"],
            ["variance", "before", "now", "--pairs"],
            ["history", case, "--runs", "."],
            ["run", "demo.yaml", "-o", "run"],
        )
        for command in commands:
            code, out, err = self.plumbline(*command, COLUMNS="60")
            self.assertEqual(code, 0, err)
            lines = [line for line in out.splitlines() if "  " in line]
            self.assertTrue(lines, out)
            self.assertLessEqual(max(map(len, lines)), 60, out)
        out = self.plumbline("devices", "before", "now", COLUMNS="60")[1]
        self.assertLessEqual(max(map(len, [line for line in out.splitlines() if "  " in line])), 60, out)

    def test_a_time_that_scatters_is_not_a_plain_ok(self):
        code, out, err = self.plumbline("run", "demo.yaml", "-o", "run", FAKE_WORKER_SCATTER="9")
        self.assertEqual(code, 0, err)
        rows = [line for line in out.splitlines() if "libtorch" in line]
        self.assertTrue(rows)
        for row in rows:
            spread = float(row.split("ms", 1)[1].split("%")[0])
            self.assertEqual("OK, too noisy" in row, spread > 20, row)
        self.assertTrue(any("OK, too noisy" in row for row in rows), out)
        code, out, err = self.plumbline("run", "demo.yaml", "-o", "quiet")
        self.assertNotIn("too noisy", out)

    def test_ids_of_a_list_are_whole_in_every_width(self):
        for text in (self.on_terminal(30, "list", "demo.yaml"), self.plumbline("list", "demo.yaml")[1]):
            self.assertIn("softmax/libtorch/cols=64/dtype=float32/rows=128\n", text)
        self.assertIn("dtype=float32/n=32\n", self.on_terminal(30, "list", "demo.yaml"))


class Suites(FaultTest):
    def test_a_near_name_is_told(self):
        for typed, meant in (("demo", "demo.yaml"), ("demmo.yaml", "demo.yaml"), ("more/rely.yaml", "more/relu.yaml"), ("mor", "more")):
            if (self.work / typed).exists():
                continue
            code, _, err = self.plumbline("list", typed)
            self.assertEqual(code, 2)
            self.assertIn(f"suite '{typed}' does not exist; did you mean '{meant}'?", err)

    def test_stock_suites_are_found_from_any_folder_with_the_program_of_a_build_tree(self):
        there = self.folder / "elsewhere"
        there.mkdir()
        code, out, err = self.plumbline("list", "quick", cwd=there)
        self.assertEqual(code, 0, err)
        self.assertIn("softmax/libtorch/", out)
        code, _, err = self.plumbline("list", "quik", cwd=there)
        self.assertIn("did you mean 'quick'?", err)
        self.assertEqual(list(there.iterdir()), [])
        code, out, err = self.plumbline("run", "quick", "--filter", "softmax", "--rounds", "1", cwd=there)
        self.assertEqual(code, 0, err)
        run = pathlib.Path(out.splitlines()[-1])
        self.assertEqual(run.parent, there / "runs")
        code, out, err = self.plumbline("accept", str(run), "--even-so", "one round", "--why", "first", "--author", "me", cwd=there)
        self.assertEqual(code, 0, err)
        self.assertTrue(out.startswith(str(there / "baselines")), out)


if __name__ == "__main__":
    fault_test.main()
