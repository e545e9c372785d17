"""An input of a megabyte costs at most 2 s and 500 MB, or is refused in a sentence, whatever is in it."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

PLUMBLINE = os.path.abspath(sys.argv.pop(1))
MOST_S, MOST_MB = 2, 500
MOST_WORDS = 2000  # bytes of a message

BENCHMARK = "  - op: gemm\n    sweep: {m: %s, n: 4, k: 4, dtype: [float32]}\n"


def suite(text):
    return "suite: s\nbenchmarks:\n" + text


def where(expression):
    return suite(BENCHMARK % "1" + f'    where: "{expression}"\n')


def nested_aliases():
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for name, below in zip("bcdefghijkl", "abcdefghijk"):
        lines.append(f"{name}: &{name} [{', '.join(['*' + below] * 10)}]")
    return "\n".join(["suite: s", *lines, ""])


MEGABYTE = 10**6
SUITES = {
    "ten thousand million cases": suite(
        "  - op: gemm\n    sweep: {m: {from: 1, to: 100000}, n: {from: 1, to: 100000}, k: 4, dtype: [float32]}\n"
    ),
    "a range to 10^19": suite(BENCHMARK % "{from: 1, to: 9000000000000000000}"),
    "as many cases as are allowed": suite(BENCHMARK % ("[" + ",".join(map(str, range(1, 99001))) + "]")),
    "many benchmarks": suite("".join(BENCHMARK % number for number in range(1, 15001))),
    "one benchmark many times": suite((BENCHMARK % "1") * 15000),
    "aliases of aliases": nested_aliases(),
    "lists in lists": "suite: " + "[" * MEGABYTE,
    "maps in maps": "suite: " + "{a: " * (MEGABYTE // 4),
    "parentheses": where("(" * (MEGABYTE // 2) + "1" + ")" * (MEGABYTE // 2)),
    "a long sum": where("1 + " * (MEGABYTE // 4) + "1"),
    "a long condition": where("m > 1 and " * (MEGABYTE // 10) + "true"),
    "negations": where("not " * (MEGABYTE // 4) + "true"),
    "powers": where("1**" * (MEGABYTE // 3) + "1"),
    "calls of calls": where("f" + "()" * (MEGABYTE // 2)),
    "a power of powers": where("9**9**9**9 > 1"),
    "a long name": "suite: " + "a" * MEGABYTE + "\n",
    "a long key": "suite: s\n" + "a" * MEGABYTE + ": 1\n",
    "many keys": "suite: s\n" + "".join(f"k{number}: 1\n" for number in range(100000)),
    "a long list of texts": suite(BENCHMARK % ("[" + ",".join(["x"] * (MEGABYTE // 2)) + "]")),
}
JSON = {
    "lists in lists": "[" * MEGABYTE,
    "maps in maps": '{"a":' * (MEGABYTE // 5),
    "closed lists in lists": "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
    "a long text": '{"format": 1, "program": "' + "a" * MEGABYTE + '"}',
    "a long number": '{"format": ' + "9" * MEGABYTE + "}",
    "many members": "{" + ",".join(f'"{number}":1' for number in range(90000)) + "}",
    "a long word": "{" + "x" * MEGABYTE,
}
TABLES = {
    "many columns": ",".join(f"c{number}" for number in range(130000)) + "\n",
    "a long field": "m,t\n" + "1" * MEGABYTE + ",2\n",
    "quotes": "m,t\n" + '"' * MEGABYTE,
    "no fields": "m,t\n" + "," * MEGABYTE + "\n",
    "many rows": "m,t\n" + "".join(f"{number},2\n" for number in range(120000)),
}
MAP = ["--map", "op=x", "--map", "backend=b", "--map", "params.m=$m", "--map", "metrics.time.column=t", "--map", "metrics.time.unit=ms"]  # fmt: skip


class Megabytes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def costs(self, words):
        """(exit code, processor seconds, megabytes, standard error) of a command."""
        errors = self.folder / "errors"
        with open(errors, "wb") as file:
            process = subprocess.Popen([PLUMBLINE, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=file)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        said = errors.read_text(errors="replace")
        return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said

    def check(self, *words):
        code, seconds, megabytes, said = self.costs(words)
        self.assertIn(code, (0, 1, 2, 3), signal.strsignal(-code) if code < 0 else said[:300])
        self.assertLess(seconds, MOST_S)
        self.assertLess(megabytes, MOST_MB)
        self.assertLess(len(said), MOST_WORDS, said[:300])
        if code == 2:
            self.assertRegex(said, re.compile("^error: ", re.MULTILINE))

    def each(self, inputs, name, *commands):
        """Gives each input to the commands, as the file `name`."""
        for what, text in inputs.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            for command in commands:
                with self.subTest(f"{name}: {what}"):
                    self.check(*command)

    def test_suites(self):
        self.each(SUITES, "suite.yaml", ("list", "suite.yaml"))

    def test_project_files(self):
        (self.folder / "small.yaml").write_text(suite(BENCHMARK % "1"))
        self.each(SUITES, "plumbline.yaml", ("list", "small.yaml"))

    def test_runs(self):
        self.each(JSON, "run/run.json", ("status", "run"), ("compare", "run", "run"))

    def test_baselines(self):
        (self.folder / "baseline.csv").write_text("")
        self.each(JSON, "baseline.json", ("compare", "baseline.json", "baseline.json"))

    def test_comparisons(self):
        self.each(JSON, "comparison.json", ("report", "comparison.json", "-o", "page.html"))

    def test_ledgers(self):
        self.each(JSON, "baselines/ledger.json", ("acknowledge", "--list", "--baselines", "baselines"))

    def test_results_of_other_programs(self):
        for kind in ("gbench", "nvbench"):
            self.each(JSON, f"{kind}.json", ("import", kind, f"{kind}.json", "-o", "imported", "--device", "x"))
        self.each(TABLES, "table.csv", ("import", "csv", "table.csv", *MAP, "--dry-run", "--device", "x"))

    def test_mappings(self):
        (self.folder / "table.csv").write_text("m,t\n1,2\n")
        self.each(SUITES, "mapping.yaml", ("import", "csv", "table.csv", "--map", "mapping.yaml", "--dry-run"))

    def test_results(self):
        (self.folder / "run").mkdir()
        (self.folder / "run/run.json").write_text('{"format": 1, "measurement_revision": 4}')
        self.each(TABLES, "run/results.csv", ("status", "run"), ("compare", "run", "run"))


unittest.main(verbosity=2)
