#!/usr/bin/python3
"""The pipelines of ci/, copied as they are into another repository, with a worker that makes up its times.

usage: copied_test.py PLUMBLINE
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import scripts_test


class CopiedPipelines(scripts_test.Scripts):
    """Each pipeline, copied as it is, in a repository that holds nothing of Plumbline."""

    def setUp(self):
        super().setUp()
        for name in ("ci", "scripts"):
            shutil.rmtree(self.tree / name)
        self.plant("plumbline.yaml", "suites: suites\n")
        self.plant("suites/suite.yaml", (self.tree / "suites/nightly/demo.yaml").read_text(encoding="utf-8"))
        self.commit("another repository")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.prefix = self.folder / "installation"
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "lib").symlink_to(scripts_test.PROGRAM.parent.parent / "lib")
        shutil.copy2(scripts_test.PROGRAM, self.prefix / "bin")
        (self.prefix / "bin/plumbline-worker").symlink_to(scripts_test.FAKE_WORKER)
        shutil.copytree(scripts_test.TESTS.parent / "ci", self.prefix / "share/plumbline/ci")
        del self.environment["PLUMBLINE_WORKER"], self.environment["GATE_SUITES"]
        self.environment["PATH"] = f"{self.prefix / 'bin'}:{self.environment['PATH']}"

    def read(self, name):
        return (scripts_test.TESTS.parent / "ci" / name).read_text(encoding="utf-8")

    def call(self, command, code, text, **variables):
        process = subprocess.run(["bash", "-c", command], cwd=self.tree, env=self.environment | variables,
                                 capture_output=True, encoding="utf-8", timeout=scripts_test.TIMEOUT_S)
        self.assertEqual(process.returncode, code, command + process.stdout + process.stderr)
        self.assertIn(text, process.stdout)

    def test_github(self):
        for name, code, text in (("nightly", 3, "no accepted baseline"), ("gate", 0, "gate: Clean")):
            [command] = re.findall(r"^        run: >-\n +(.*)", self.read(f"github/{name}.yml"), re.MULTILINE)
            command = command.replace("${{ github.base_ref }}", "main")
            self.call(command, code, text, PLUMBLINE_CI="", NIGHTLY_NAME="github")
        # The folder of the scripts can be named.
        self.call(command, 127, "", PLUMBLINE_CI=str(self.folder / "nowhere"))

    def test_gitlab(self):
        nightly, gate, comment = re.findall(r"^    - >-\n +(.*)", self.read("gitlab/plumbline.gitlab-ci.yml"), re.MULTILINE)
        self.call(nightly, 3, "no accepted baseline", NIGHTLY_NAME="gitlab", JUDGE_BASELINE="accepted")
        self.call(gate, 0, "gate: Clean", CI_MERGE_REQUEST_DIFF_BASE_SHA=self.git("rev-parse", "HEAD"))
        self.assertIn("post.py", comment)

    def test_buildkite(self):
        text = self.read("buildkite/pipeline.yml")
        command = text[text.index("command: |-\n") + 12:text.index("    soft_fail")].replace("$$", "$")
        agent = self.prefix / "bin/buildkite-agent"
        agent.write_text('#!/bin/sh\n{ echo "$@"; cat; } >>annotated\n', encoding="utf-8")
        agent.chmod(0o755)
        self.call(command, 0, "gate: Clean", JUDGE_RUNS="runs", BUILDKITE_PULL_REQUEST_BASE_BRANCH="main")
        self.assertRegex((self.tree / "annotated").read_text(encoding="utf-8"), r"annotate --context plumbline .*\n## Plumbline · Clean")

    def test_jenkins(self):
        [command] = re.findall(r"sh '''(.*)'''", self.read("jenkins/Jenkinsfile"))
        self.call(command, 3, "no accepted baseline", NIGHTLY_NAME="jenkins")
        step = self.read("jenkins/vars/plumbline.groovy")
        [command] = re.findall(r"script: '''(.*)'''", step)
        self.call(command, 0, "gate: Clean", CHANGE_TARGET="main", JUDGE_RUNS=str(self.tree / "runs/9"))
        self.assertIn("code=0\nverdict=clean\n", (self.tree / "runs/9/result").read_text(encoding="utf-8"))
        # The settings that the step knows are those of judge.sh.
        known = re.findall(r"'(\w+)'", re.search(r"known = \[(.*)\]", step)[1])
        documented = re.findall(r"^# JUDGE_([A-Z]+)", (scripts_test.TESTS.parent / "ci/judge.sh").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual({name.upper() for name in known} | {"SITE"}, set(documented))

    def test_cron_and_systemd_with_the_variables_at_their_top_set(self):
        places = {"/srv/repository": str(self.tree), "/opt/plumbline": str(self.prefix)}
        table, unit = self.read("cron/plumbline"), self.read("systemd/plumbline-nightly.service")
        for before, now in places.items():
            self.assertEqual((table.count(before), unit.count(before)), (1, 1))
            table, unit = table.replace(before, now), unit.replace(before, now)
        variables = dict(re.findall(r"^([A-Z_]+)=(.*)$", table, re.MULTILINE))
        [command] = re.findall(r"^17 2 \* \* \* plumbline (.*)$", table, re.MULTILINE)
        command = command.replace("git pull --quiet --ff-only", "git status --short")  # there is no remote
        self.call(command, 3, "no accepted baseline", NIGHTLY_NAME="cron", **variables)
        [named] = re.findall(r"^Environment=PLUMBLINE_CI=(.*)$", unit, re.MULTILINE)
        [command] = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
        self.call(command, 3, "no accepted baseline", NIGHTLY_NAME="systemd", PLUMBLINE_CI=named)


if __name__ == "__main__":
    scripts_test.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
