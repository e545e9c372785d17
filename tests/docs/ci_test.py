"""The commands of docs/how-to/ci.md work as written, in a copy of docs/examples, and what it shows of workflows, inputs and
requests is what the actions take."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGE = (ROOT / "docs/how-to/ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', PAGE, re.M | re.S)
ACTION = YAML(typ="safe", pure=True).load((ROOT / "ci/action.yml").read_text(encoding="utf-8"))
# Times on a busy machine do not concern the page: pairs of a change that changes nothing.
JUDGED = {0, 1, 3}
QUICK = "--looks 3 --controls 0"


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        kept = {name: value for name, value in os.environ.items() if not re.match(r"GIT_|PLUMBLINE_|NIGHTLY_|GATE_|JUDGE_|GITHUB_|CI_", name)}
        self.variables = kept | {
            "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1", "OMP_NUM_THREADS": "1",
            "PLUMBLINE_LOCKS": str(self.folder / "locks"), "PLUMBLINE_PYTHON": sys.executable, "GIT_CEILING_DIRECTORIES": str(self.folder),
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b",
        }

    def shortened(self, command):
        """The command on the CPU and with few pairs."""
        if command.startswith('"$SCRIPTS/gate.sh"'):
            return f"GATE_SUITES=bench/host.yaml GATE_DEVICE=cpu {command} {QUICK}"
        if "judge.sh" in command:
            return f"JUDGE_DEVICE=cpu {command} {QUICK}"
        if "nightly.sh" in command:
            return f"NIGHTLY_SUITES=bench/host.yaml {command} --rounds 1"
        if command.startswith("plumbline ab"):
            return f"{command} --device cpu {QUICK}"
        if command.startswith("plumbline check"):
            return f"{command} --device cpu --rounds 1 --looks 3 --controls 0"
        return command

    def test_its_commands_work_in_their_order(self):
        commands = [line.split("  #")[0].strip() for kind, _, body in BLOCKS if kind == "sh" for line in body.splitlines() if line.strip()]
        self.assertGreater(len(commands), 10)
        script = "\n".join(f'{self.shortened(command)}\necho "step $?"' for command in commands)
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.variables, capture_output=True, encoding="utf-8", timeout=1000)
        codes = [int(code) for code in re.findall(r"^step (\d+)$", done.stdout, re.M)]
        self.assertEqual(len(codes), len(commands), done.stdout + done.stderr)
        for command, code in zip(commands, codes):
            judges = re.search(r"\.sh|plumbline (check|ab)", command) and not command.startswith("SCRIPTS=")
            self.assertIn(code, JUDGED if judges else {0}, f"{command}\n{done.stdout}{done.stderr}")
        self.assertFalse((self.folder / "my-kernels").is_symlink(), "the example itself must stay as it is")
        self.assertFalse((ROOT / "docs/examples/.git").exists())
        result = (self.folder / "my-kernels/runs/result").read_text(encoding="utf-8")
        self.assertRegex(result, r"code=[013]\nverdict=\w+\nfolder=/")

    def test_its_workflow_is_taken_by_the_action(self):
        [steps] = [YAML(typ="safe", pure=True).load(body) for kind, title, body in BLOCKS if kind == "yaml" and not title]
        example = (ROOT / "docs/examples/.github/workflows/benchmark.yml").read_text(encoding="utf-8")
        for step in steps:
            self.assertIn(step["uses"], example)
        self.assertLessEqual(set(steps[1]["with"]), set(ACTION["inputs"]))
        self.assertEqual({key: str(value).lower() for key, value in steps[0]["with"].items()},
                         dict(re.findall(r"^          ([a-z-]+): (\w+)$", example, re.M)))

    def test_its_table_has_every_input_and_every_output(self):
        table = PAGE[PAGE.index("| input |"):PAGE.index("The wheels are not on PyPI")]
        named = [name for cell in re.findall(r"^\| (`[^|]*`) \|", table, re.M) for name in re.findall(r"`([a-z-]+)`", cell)]
        self.assertEqual(sorted(named), sorted(ACTION["inputs"]))
        outputs = PAGE[PAGE.index("Its outputs are"):].split(".")[0]
        self.assertEqual(sorted(re.findall(r"`(\w+)`", outputs)), sorted(ACTION["outputs"]))

    def test_its_requests_are_taken(self):
        example = self.folder / "example"
        shutil.copytree(ROOT / "docs/examples", example)
        devices = {"REQUEST_DEVICES": '{"h100": ["a"], "h200": ["b"]}'}
        [body] = [body for kind, title, body in BLOCKS if title == "bench.yaml"]
        (example / "bench.yaml").write_text(body, encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "ci/request.py", "file"], cwd=example, env=self.variables | devices, capture_output=True, encoding="utf-8")
        self.assertIn('"suites": "bench/gpu.yaml bench/host.yaml", "options": "--tag nightly --looks 3,6,12"', done.stdout, done.stderr)
        [line] = [body for kind, _, body in BLOCKS if kind == "text" and body.startswith("/plumbline")]
        sys.path.insert(0, str(ROOT / "ci"))
        sys.dont_write_bytecode = True
        import request
        self.assertEqual(request.of_comment(line), {"suites": ["gpu"], "devices": ["h100", "h200"], "tags": [], "looks": ["3,6"]})
        workflow = (example / ".github/workflows/requested.yml").read_text(encoding="utf-8")
        self.assertLessEqual({"h100", "h200"}, set(json.loads(re.search(r"devices: '(.*)'", workflow)[1])))


if __name__ == "__main__":
    unittest.main()
