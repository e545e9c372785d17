#!/usr/bin/env python3
"""The example repository (docs/examples) on GitHub: its workflows and ci/action.yml, step by step as they are written, with
real measurements on the CPU and a server of the API on the loopback.

usage: action_test.py PLUMBLINE (the Python that runs this has torch and ruamel.yaml)
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import expressions
import fake_server
import runner

ROOT = runner.ROOT
EXAMPLE = ROOT / "docs" / "examples"
WORKFLOWS = EXAMPLE / ".github" / "workflows"
PROGRAM = None  # from the command line
# Few pairs at first and large changes, for a busy machine; the example itself has none of these.
QUICK = {"package": "", "device": "cpu", "options": "--looks 4,12,24 --controls 0", "threshold": "40%", "margin": "70%"}
HOST = QUICK | {"suites": "bench/host.yaml"}
SLOW_NORM = ("    scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n",
             "    for _ in range(6):\n        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)\n")
SLOW_SCALE = ("  for (int64_t i = 0; i < instance->elements; ++i) y[i] = 3 * x[i];\n",
              "  for (int pass = 0; pass < 8; ++pass)\n    for (int64_t i = 0; i < instance->elements; ++i) "
              "((volatile float*)y)[i] = 3 * x[i];\n")


def line_of(path, text):
    return path.read_text(encoding="utf-8").split(text)[0].count("\n") + 1


class Repository(unittest.TestCase):
    """The example in a repository of its own, on a branch `topic` that left origin's main; Plumbline beside it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / "work" / "example"
        shutil.copytree(EXAMPLE, self.tree)
        self.install()
        self.server = fake_server.FakeServer()
        self.addCleanup(self.server.close)
        kept = {name: value for name, value in os.environ.items() if not re.match(r"GIT_|PLUMBLINE_|NIGHTLY_|GATE_|JUDGE_|GITHUB_|CI_", name)}
        self.environment = kept | {
            "PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1", "OMP_NUM_THREADS": "1",
            "PLUMBLINE_LOCKS": str(self.folder / "locks"), "PLUMBLINE_PYTHON": sys.executable, "ACTIONS_FOLDER": str(self.actions),
            "GIT_CEILING_DIRECTORIES": str(self.folder), "GITHUB_API_URL": self.server.url, "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7",
            "GITHUB_BASE_REF": "main", "GITHUB_SHA": "f" * 40,
        }
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("First")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("switch", "--quiet", "--create", "topic")

    def install(self):
        """An installation, and the actions as GitHub downloads them: with the whole repository, which must not be built."""
        self.prefix, self.actions = self.folder / "prefix", self.folder / "actions"
        (self.prefix / "bin").mkdir(parents=True)
        shutil.copy2(PROGRAM, self.prefix / "bin")
        for path in PROGRAM.parent.glob("plumbline-worker*"):
            (self.prefix / "bin" / path.name).symlink_to(path)
        (self.prefix / "lib").symlink_to(PROGRAM.parent.parent / "lib")
        (self.prefix / "include").mkdir()
        shutil.copy2(ROOT / "harness/backends/plugin/plumbline_plugin.h", self.prefix / "include")
        shutil.copytree(ROOT / "ci", self.actions / "ci")
        (self.actions / "scripts").mkdir()
        (self.actions / "scripts/build").write_text("#!/bin/sh\necho built >&2\nexit 9\n", encoding="utf-8")
        (self.actions / "scripts/build").chmod(0o755)

    def git(self, *words):
        words = ["git", "-c", "user.name=A. Tester", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words]
        done = subprocess.run(words, cwd=self.tree, env=self.environment, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)

    def change(self, name, before, after):
        path = self.tree / name
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(before), 1)
        path.write_text(text.replace(before, after), encoding="utf-8")

    def pull_request(self, **more):
        return {"action": "synchronize", "number": 5, "pull_request": {
            "number": 5, "head": {"sha": self.git("rev-parse", "HEAD"), "repo": {"full_name": "o/r"}}, "base": {"ref": "main"}}} | more

    def job(self, workflow, name, event, inputs, **contexts):
        """Runs a job of the example's workflow; returns it, and whether its `if` let it run."""
        github = {"repository": "o/r", "token": fake_server.TOKEN, "run_id": "7", "server_url": "https://github.com"}
        job = runner.Job(self.tree, self.environment, event, {"github": github, **contexts})
        declared = runner.read_yaml(WORKFLOWS / f"{workflow}.yml")["jobs"][name]
        return job, job.run_workflow_job(declared, inputs)

    def comments(self):
        return [comment["body"] for comment in self.server.comments]


class PullRequest(Repository):
    def test_a_slower_kernel_fails_the_job_and_a_later_push_brings_the_comment_up_to_date(self):
        self.change("kernels/norm.py", *SLOW_NORM)
        self.change("kernels/scale.c", *SLOW_SCALE)
        self.commit("Slower, in two places")
        job, _ = self.job("benchmark", "benchmark", self.pull_request(), QUICK | {"sarif": "true", "check": "true"})
        self.assertEqual(job.status, "failure", job.output)
        self.assertNotIn("built", job.output)
        self.check_annotations(job)
        self.check_what_is_published(job)
        self.check_that_measured_code_gets_no_token(job)

        self.git("revert", "--no-edit", "HEAD")
        (self.tree / "NOTES.txt").write_text("a change that no time depends on\n", encoding="utf-8")
        self.commit("As before")
        job, _ = self.job("benchmark", "benchmark", self.pull_request(), QUICK)
        self.assertEqual(job.status, "success", job.output)
        self.assertIn("Clean: nothing regressed", job.output)
        self.assertEqual([command for command in job.commands() if command[0] == "error"], [])
        [body] = self.comments()
        self.assertIn("Clean", body)
        self.assertNotIn("SLOWER", body)
        self.assertEqual([call[0] for call in self.server.calls if "comments" in call[1]], ["GET", "POST", "GET", "PATCH"])

    def check_annotations(self, job):
        errors = [(properties.get("file"), properties.get("line"), properties.get("endLine"))
                  for kind, properties, _ in job.commands() if kind == "error" and "SLOWER" in properties["title"]]
        norm, scale = (line_of(self.tree / name, text) for name, text in
                       (("kernels/norm.py", "    for _ in range(6)"), ("kernels/scale.c", "  for (int pass")))
        self.assertEqual(sorted(errors), [("kernels/norm.py", str(norm), str(norm + 1)), ("kernels/scale.c", str(scale), str(scale + 1))])

    def check_what_is_published(self, job):
        [body] = self.comments()
        self.assertTrue(body.startswith("<!-- plumbline: plumbline -->\n## Plumbline · Slower: "), body)
        for text in ("rms\\_norm", "scale", "**SLOWER**", "[The whole report](https://github.com/o/r/actions/runs/7/artifacts/"):
            self.assertIn(text, body)
        self.assertLessEqual(len(body.encode()), 65_000)
        self.assertIn("## Plumbline · Slower: ", job.summary())
        used = dict(job.used)
        self.assertEqual(used["actions/checkout"]["fetch-depth"], "0")
        folder = pathlib.Path(used["actions/upload-artifact"]["path"].split()[0])
        for name in ("report.html", "comparison.json"):
            self.assertTrue((folder / name).stat().st_size > 0, name)
        findings = json.loads((self.tree / used["github/codeql-action/upload-sarif"]["sarif_file"]).read_text(encoding="utf-8"))["runs"][0]["results"]
        places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in findings if result["level"] == "error"}
        self.assertEqual(places, {"kernels/norm.py", "kernels/scale.c"})
        [check] = self.server.checks
        self.assertEqual((check["conclusion"], check["head_sha"]), ("failure", self.git("rev-parse", "HEAD")))

    def check_that_measured_code_gets_no_token(self, job):
        [environment] = [environment for name, environment, _ in job.scripts if name == "Measure and judge"]
        self.assertEqual([name for name, value in environment.items() if fake_server.TOKEN in value], [])

    def test_a_branch_that_brings_the_suite_cannot_be_judged_and_is_neutral(self):
        self.git("switch", "--quiet", "--orphan", "empty")
        (self.tree / "README.md").write_text("nothing yet\n", encoding="utf-8")
        self.commit("Before Plumbline")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("switch", "--quiet", "--create", "brings")
        shutil.copytree(EXAMPLE, self.tree, dirs_exist_ok=True)
        self.commit("Measure")
        job, _ = self.job("benchmark", "benchmark", self.pull_request(), QUICK | {"check": "true"})
        self.assertEqual(job.status, "success", job.output)
        self.assertIn(("notice", {"title": "Plumbline"}, "Neutral: it could not be judged; the summary says why"), job.commands())
        self.assertEqual(self.server.checks[0]["conclusion"], "neutral")
        [body] = self.comments()
        self.assertIn("every case is new", body)
        # Without the permission to write, the verdict stands.
        self.server.refuses = {"POST", "PATCH"}
        job, _ = self.job("benchmark", "benchmark", self.pull_request(), QUICK)
        self.assertEqual(job.status, "success", job.output)
        self.assertIn("pull-requests: write", job.output)
        self.assertEqual(self.comments(), [body])

    def test_a_mistake_is_an_error_and_says_so(self):
        self.change("bench/host.yaml", "function: scale", "fonction: scale")
        self.commit("A typing mistake")
        job, _ = self.job("benchmark", "benchmark", self.pull_request(), HOST)
        self.assertEqual(job.status, "failure", job.output)
        self.assertIn("Nothing was measured", job.output)
        self.assertIn("not judged", self.comments()[0])
        self.assertRegex(self.comments()[0], r"\n    error: .*bench/host.yaml:7:5: .*'fonction'")


class Forks(Repository):
    def event(self, **more):
        event = self.pull_request(**more)
        event["pull_request"]["head"]["repo"]["full_name"] = "them/r"
        return event

    def test_a_forks_code_runs_only_when_the_label_is_added(self):
        declared = runner.read_yaml(WORKFLOWS / "benchmark.yml")["jobs"]["benchmark"]
        own = self.pull_request()
        for event, runs in ((own, True), (self.event(), False), (self.event(action="opened"), False),
                            (self.event(action="labeled", label={"name": "benchmark"}), True), (self.event(action="labeled", label={"name": "bug"}), False),
                            (own | {"action": "labeled", "label": {"name": "bug"}}, False)):
            self.assertIs(expressions.is_run(declared["if"], {"github": {"repository": "o/r", "event": event}}, "success"), runs, event)

    def test_the_action_knows_whose_code_goes_into_a_sandbox(self):
        [step] = [step for step in runner.read_yaml(ROOT / "ci/action.yml")["runs"]["steps"] if step.get("id") == "judge"]
        for event, given, expected in (
            (self.event(), "forks", "true"), (self.pull_request(), "forks", "false"), ({"schedule": "17 2 * * *"}, "forks", "false"),
            (self.pull_request(), "true", "true"), (self.event(), "false", "false"), (self.event(), "yes", "yes"),
        ):
            contexts = {"github": {"repository": "o/r", "event": event}, "inputs": {"sandbox": given}}
            self.assertEqual(expressions.evaluated(step["env"]["JUDGE_SANDBOX"], contexts), expected, (event, given))

    def test_judge_takes_no_other_word_for_a_sandbox(self):
        words = [self.actions / "ci" / "judge.sh"]
        done = subprocess.run(words, cwd=self.tree, env=self.environment | {"JUDGE_SANDBOX": "yes"}, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("JUDGE_SANDBOX=yes: allowed are true and false", done.stderr)

    @unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is not installed")
    def test_a_forks_code_cannot_write_into_the_tree_and_is_measured(self):
        mark = self.tree / "kernels" / "was-here"
        path = self.tree / "kernels" / "norm.py"
        spy = "import pathlib\ntry:\n    (pathlib.Path(__file__).parent / 'was-here').touch()\nexcept OSError:\n    pass\n"
        path.write_text(path.read_text(encoding="utf-8") + spy, encoding="utf-8")
        self.commit("It looks around")
        for event, is_marked in ((self.event(action="labeled", label={"name": "benchmark"}), False), (self.pull_request(), True)):
            job, _ = self.job("benchmark", "benchmark", event, QUICK)
            self.assertEqual(job.status, "success", job.output)
            self.assertIn("Clean: nothing regressed", job.output)
            self.assertIs(mark.exists(), is_marked, job.output)

    def test_no_workflow_runs_code_of_others_with_rights(self):
        for path in WORKFLOWS.glob("*.yml"):
            workflow = runner.read_yaml(path)
            self.assertNotIn("pull_request_target", workflow["on"])
            self.assertLessEqual(set(workflow["permissions"].items()), {("contents", "read")})
            for name, job in workflow["jobs"].items():
                uses = [step.get("uses", "") for step in job["steps"]]
                may_write = {key for key, value in job.get("permissions", {}).items() if value == "write"}
                if "OWNER/plumbline/ci@v1" in uses and path.name != "benchmark.yml":
                    self.assertEqual(may_write, set(), f"{path.name}: {name}")
                for step in job["steps"]:
                    if step.get("uses", "").startswith("actions/checkout@"):
                        self.assertIs(step["with"]["persist-credentials"], False)

    def test_the_comment_of_a_fork_is_written_by_a_job_that_runs_none_of_its_code(self):
        run = {"id": 9, "event": "pull_request", "conclusion": "failure", "head_sha": "d" * 40, "head_branch": "topic",
               "head_repository": {"full_name": "them/r", "owner": {"login": "them"}}}
        self.server.pulls[4] = {"number": 4, "head": {"label": "them:topic", "sha": "d" * 40}}
        verdict = self.tree / "plumbline-verdict"
        verdict.mkdir()
        (verdict / "verdict.md").write_text("## Plumbline · Slower\n", encoding="utf-8")
        job, runs = self.job("comment", "comment", {"workflow_run": run}, {})
        self.assertTrue(runs)
        self.assertEqual(job.status, "success", job.output)
        self.assertEqual(dict(job.used)["actions/download-artifact"]["run-id"], "9")
        self.assertEqual((self.server.comments[0]["number"], len(self.comments())), (4, 1))
        for other in (run | {"head_repository": {"full_name": "o/r", "owner": {"login": "o"}}}, run | {"conclusion": "skipped"}):
            self.assertFalse(self.job("comment", "comment", {"workflow_run": other}, {})[1])


class Nights(Repository):
    def test_a_first_night_is_neutral_and_makes_the_site(self):
        shutil.rmtree(self.tree / "baselines")
        inputs = QUICK | {"options": "--rounds 2", "check": "true"}
        job, _ = self.job("nightly", "nightly", {"schedule": "17 2 * * *"}, inputs)
        self.assertEqual(job.status, "success", job.output)
        self.assertIn("holds no accepted baseline of gpu, host", job.output)
        self.assertIn("Neutral", job.output)
        self.assertEqual((self.server.checks[0]["conclusion"], self.server.checks[0]["head_sha"]), ("neutral", "f" * 40))
        self.assertIn("## Plumbline · not judged", job.summary())
        used = dict(job.used)
        self.assertTrue((self.tree / used["actions/upload-pages-artifact"]["path"] / "index.html").exists())
        self.assertTrue((pathlib.Path(used["actions/upload-artifact"]["path"].split()[0]) / "results.csv").exists())
        self.assertEqual(self.comments(), [])


class Requested(Repository):
    def test_a_comment_becomes_jobs_that_measure_and_comment(self):
        event = {"issue": {"number": 5, "pull_request": {"url": "x"}},
                 "comment": {"body": "/plumbline run host --device h200", "author_association": "MEMBER"}}
        self.server.pulls[5] = {"number": 5, "head": {"sha": self.git("rev-parse", "HEAD")}, "base": {"ref": "main"}}
        job, runs = self.job("requested", "request", event, {})
        self.assertTrue(runs and job.status == "success", job.output)
        outputs = dict(line.split("=", 1) for line in job.output.splitlines() if "=" in line)
        [one] = json.loads(outputs["matrix"])["include"]
        self.assertEqual((one["labels"], one["suites"]), (["self-hosted", "linux", "h200"], "bench/host.yaml"))
        needs = {"request": {"outputs": outputs, "result": "success"}}
        declared = runner.read_yaml(WORKFLOWS / "requested.yml")["jobs"]["measure"]
        self.assertEqual(expressions.evaluated(declared["strategy"]["matrix"], {"needs": needs}), {"include": [one]})
        self.assertEqual(expressions.evaluated(declared["runs-on"], {"matrix": one}), one["labels"])
        job, _ = self.job("requested", "measure", event, QUICK, needs=needs, matrix=one)
        self.assertEqual(job.status, "success", job.output)
        used = dict(job.used)
        self.assertEqual(used["actions/checkout"]["ref"], self.server.pulls[5]["head"]["sha"])
        self.assertEqual(used["actions/upload-artifact"]["name"], "plumbline h200")
        self.assertEqual(self.comments(), [])
        (self.tree / "plumbline-verdict").mkdir()
        shutil.copy(self.tree / "runs/verdict.md", self.tree / "plumbline-verdict")
        job, _ = self.job("requested", "comment", event, {}, needs=needs, matrix=one)
        self.assertEqual(job.status, "success", job.output)
        self.assertTrue(self.comments()[0].startswith("<!-- plumbline: plumbline h200 -->"))


    def test_without_a_request_no_job_follows(self):
        jobs = runner.read_yaml(WORKFLOWS / "requested.yml")["jobs"]
        for result, outputs in (("success", {"count": "0"}), ("skipped", {}), ("failure", {})):
            contexts = {"needs": {"request": {"result": result, "outputs": outputs}}}
            status = "success" if result == "success" else "failure"
            self.assertFalse(expressions.is_run(jobs["measure"]["if"], contexts, status), result)
            self.assertFalse(expressions.is_run(jobs["comment"]["if"], contexts, status), result)


class Installing(Repository):
    """ci/github/install.sh with a wheel that stands for Plumbline's."""

    def wheel(self, says="plumbline 9.9"):
        path = self.tree / "dist" / "plumbline_gpu-9.9-py3-none-any.whl"
        path.parent.mkdir(exist_ok=True)
        files = {"plumbline_gpu-9.9.data/scripts/plumbline": f"#!/bin/sh\necho '{says}'\n",
                 "plumbline_gpu-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: plumbline-gpu\nVersion: 9.9\n",
                 "plumbline_gpu-9.9.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        files["plumbline_gpu-9.9.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files) + "plumbline_gpu-9.9.dist-info/RECORD,,\n"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                entry = zipfile.ZipInfo(name)
                entry.external_attr = 0o100755 << 16
                archive.writestr(entry, text)

    def install_step(self, package):
        action = runner.read_yaml(ROOT / "ci/action.yml")
        [step] = [step for step in action["runs"]["steps"] if step.get("name") == "Install Plumbline"]
        job = runner.Job(self.tree, self.environment | {"PIP_NO_INDEX": "1"}, {}, {"github": {}})
        job.run_steps([step], {"inputs": {"package": package}, "steps": {}, "github": {}}, job.action_path("ci"))
        return job

    def test_a_wheel_is_installed_and_found_by_the_steps_that_follow(self):
        self.wheel()
        job = self.install_step("dist/*.whl")
        self.assertEqual(job.status, "success", job.output)
        said = subprocess.run(["plumbline"], env=job.environment, capture_output=True, encoding="utf-8").stdout
        self.assertEqual(said, "plumbline 9.9\n")
        self.assertEqual(pathlib.Path(job.environment["PLUMBLINE"]).read_text(encoding="utf-8").count("plumbline 9.9"), 1)
        # Another file of the same name is another Plumbline.
        self.wheel("plumbline other")
        self.assertIn("plumbline other", self.install_step("dist/*.whl").output)

    def test_what_is_no_package_is_refused(self):
        for package, words in (("--index-url=http://x", "found the option"), ("no-such-package-of-ours", "pip cannot install"), ("$(touch planted)", "pip cannot install")):
            job = self.install_step(package)
            self.assertEqual(job.status, "failure")
            self.assertIn(words, job.output)
        self.assertFalse((self.tree / "planted").exists())


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
