"""scripts/fault_table: nothing that ran nothing is a success, and a lost visit, a wrong verdict or a failed test is none."""

import contextlib
import csv
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "fault_table"
sys.path.insert(0, str(ROOT / "tests" / "support"))

import fault_rows  # noqa: E402


def loaded():
    loader = importlib.machinery.SourceFileLoader("fault_table", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fault_table", loader))
    sys.modules["fault_table"] = module
    loader.exec_module(module)
    return module


fault_table = loaded()
GOOD = "hand_over('killed', 'a visit', 'resumed', 'kept', 3, 3)"


def planted(code, name="planted", **more):
    """A part whose program is this Python code."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/support')!r}); from fault_rows import *; {code}"
    words = ("{python}", "-c", code.replace("{", "{{").replace("}", "}}"))
    return fault_table.Part(name, "what it does", words, **more)


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, *parts, is_quick=False):
        """-> (exit code, what was said)"""
        said = io.StringIO()
        places = {"python": sys.executable, "build": str(self.folder)}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = fault_table.make(parts, self.folder, is_quick, places)
        return code, said.getvalue()

    def rows(self):
        with (self.folder / "faults.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_rows_of_all_parts_are_in_one_table_with_sums(self):
        more = "hand_over('killed', 'a visit', 'went on', 'kept', 2, 2); hand_over('killed', 'a write', 'resumed', 'kept', 1, 1)"
        code, said = self.made(planted(f"{GOOD}; {more}", "one"), planted("hand_over('hung', 'a | b', 'TIMEOUT', 'status', 1, 1)", "two"))
        self.assertEqual(code, 0, said)
        self.assertEqual(
            [(row["part"], row["kind"], row["moment"], row["happened"], row["injected"], row["survived"]) for row in self.rows()],
            [("one", "killed", "a visit", "resumed 3, went on 2", "5", "5"), ("one", "killed", "a write", "resumed", "1", "1"),
             ("two", "hung", "a | b", "TIMEOUT", "1", "1")],
        )  # fmt: skip
        page = (self.folder / "faults.md").read_text(encoding="utf-8")
        self.assertIn("**7 faults injected, 7 survived, 0 visits lost, 0 wrong verdicts.**", page)
        self.assertIn("| one | killed | a visit, a write | resumed 4, went on 2 | 6 | 6 | 0 | 0 | kept |", page)
        self.assertIn("| two | hung | a \\| b |", page)
        self.assertIn("commit ", page.splitlines()[0])

    def test_a_part_that_injects_nothing_is_no_success(self):
        nothing = "hand_over('killed', 'a visit', 'not run: no disk', 'kept', 0, 0)"
        for code_of_part, text in (("pass", "it ended with 0"), ("print('no sandbox'); sys.exit(77)", "it was skipped: no sandbox"),
                                   (nothing, "it ended with 0"), ("sys.exit(3)", "it ended with 3")):  # fmt: skip
            with self.subTest(code_of_part):
                code, said = self.made(planted(GOOD, "good"), planted(code_of_part))
                self.assertEqual(code, 2, said)
                self.assertIn("planted: it injected nothing: " + text, said)
                self.assertIn("planted: it injected nothing", (self.folder / "faults.md").read_text(encoding="utf-8"))
        self.assertEqual(self.made()[0], 2)

    def test_a_program_that_is_not_there_is_no_success(self):
        code, said = self.made(fault_table.Part("gone", "", ("{build}/gone",)))
        self.assertEqual(code, 2)
        self.assertIn("No such file", said)

    def test_harm_is_no_success(self):
        for row in ("3, 2", "3, 3, 1", "3, 3, 0, 1"):
            with self.subTest(row):
                code, said = self.made(planted(GOOD, "good"), planted(f"hand_over('killed', 'a visit', 'spoiled', 'kept', {row})"))
                self.assertEqual(code, 1)
                self.assertIn("planted, killed, a visit: spoiled", said)

    def test_a_failed_test_is_no_success_though_its_rows_are_good(self):
        code, said = self.made(planted(f"{GOOD}; sys.exit(1)"))
        self.assertEqual(code, 1)
        self.assertIn("planted: its test failed", said)
        self.assertIn(str(self.folder / "planted.log"), said)

    def test_a_test_that_hangs_is_ended(self):
        code, said = self.made(planted(f"{GOOD}; sys.stdout.flush(); import signal; signal.pause()", limit_s=3))
        self.assertEqual(code, 1, said)

    def test_rows_that_are_not_whole_are_a_mistake(self):
        write = "open(os.environ[VARIABLE], 'a').write({!r})"
        whole = '{"kind": "k", "moment": "m", "happened": "h", "bar": "b", "injected": 1, "survived": 1, "visits_lost": 0%s}\n'
        for line in ('{"kind": "k"', '{"kind": "k"}\n', whole % "", whole % ', "wrong_verdicts": -1', whole % ', "wrong_verdicts": 0.5',
                     whole % ', "wrong_verdicts": 0, "more": 1', "hand_over"):  # fmt: skip
            with self.subTest(line):
                self.assertEqual(self.made(planted(f"{GOOD}; {write.format(line)}"))[0], 2)
        good = whole % ', "wrong_verdicts": 0'
        self.assertEqual(self.made(planted(f"{GOOD}; {write.format(good)}"))[0], 0)
        self.assertEqual(self.made(planted("hand_over('k', 'm', 'h', 'b', 1, 2)"))[0], 2)

    def test_quick_takes_the_shorter_program(self):
        part = planted(GOOD, quick=planted("hand_over('killed', 'a visit', 'resumed', 'kept', 1, 1)").words)
        self.made(part, is_quick=True)
        self.assertEqual(self.rows()[0]["injected"], "1")

    def test_what_is_named_is_there_and_hands_over_rows(self):
        programs = {"simulate": "simulation/simulate.cpp", "replay": "fuzz/replay.cpp"}
        for part in fault_table.PARTS:
            with self.subTest(part.name):
                program = part.words[1] if "python" in part.words[0] or "torch" in part.words[0] else part.words[0]
                source = ROOT / program if program.endswith(".py") else ROOT / "tests" / programs[program.rsplit("/", 1)[1]]
                text = source.read_text(encoding="utf-8")
                self.assertTrue("fault_rows" in text or "import faulty" in text, source)

    def test_an_unknown_part_is_a_mistake_in_usage(self):
        done = subprocess.run([sys.executable, SCRIPT, "nothing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("known: calls, ", done.stderr)
        listed = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0)
        self.assertEqual(len(listed.stdout.splitlines()), len(fault_table.PARTS))


class Rows(unittest.TestCase):
    """What a test hands over."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "rows"
        self.enterContext(mock.patch.dict(os.environ, {fault_rows.VARIABLE: str(self.path)}))

    def ended_with(self, error):
        with contextlib.suppress(AssertionError, unittest.SkipTest, OSError):
            with fault_rows.injected("kind", "moment", "good", "bar"):
                if error:
                    raise error
        row = fault_table.rows_of(self.path)[-1]
        return row["happened"], [row[count] for count in fault_rows.COUNTS]

    def test_a_fault_that_meets_its_bar_survived(self):
        self.assertEqual(self.ended_with(None), ("good", [1, 1, 0, 0]))

    def test_a_fault_that_does_not_is_told_with_its_harm(self):
        self.assertEqual(self.ended_with(AssertionError("not\nso")), ("bar not met: not", [1, 0, 0, 0]))
        self.assertEqual(self.ended_with(OSError()), ("bar not met: OSError", [1, 0, 0, 0]))
        self.assertEqual(self.ended_with(fault_rows.VisitLost("gone")), ("bar not met: gone", [1, 0, 1, 0]))
        self.assertEqual(self.ended_with(fault_rows.WrongVerdict("no")), ("bar not met: no", [1, 0, 0, 1]))

    def test_a_fault_that_was_skipped_was_not_injected(self):
        self.assertEqual(self.ended_with(unittest.SkipTest("no disk")), ("not run: no disk", [0, 0, 0, 0]))

    def test_without_the_variable_nothing_is_written(self):
        with mock.patch.dict(os.environ):
            del os.environ[fault_rows.VARIABLE]
            fault_rows.hand_over("k", "m", "h", "b", 1, 1)
        self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
