#!/usr/bin/python3
"""`plumbline submit kubernetes`: its Jobs are valid, and their pods, run here one after another, make one run.

PLUMBLINE_KUBERNETES is the environment of scripts/requirements-kubernetes.txt, which carries Kubernetes' schemas;
scripts/test installs it. Exit code 77 without it.
"""

import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXTRA = pathlib.Path(os.environ.get("PLUMBLINE_KUBERNETES", ""))
BUILD = pathlib.Path(os.environ["PLUMBLINE_BUILD"])
PROGRAM = BUILD / "bin/plumbline"
TESTS = pathlib.Path(__file__).resolve().parents[1]
FAKE_WORKER = TESTS / "support/fake_worker.py"
VERSIONS = ("1.27", "1.37")  # of Kubernetes: the oldest with all fields that are used, and the newest known


def load_extra():
    for folder in EXTRA.glob("lib/python3*/site-packages"):
        sys.path.append(str(folder))


class Kubernetes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name).resolve() / "it's a project"
        self.project.mkdir()
        suite = (TESTS / "golden/cli/fixtures/demo.yaml").read_text(encoding="utf-8")
        (self.project / "my suite.yaml").write_text(suite, encoding="utf-8")
        self.environment = os.environ | {
            "PLUMBLINE_WORKER": str(FAKE_WORKER),
            "PLUMBLINE_LOCKS": str(self.project / "locks"),
        }

    def jobs(self, *words):
        import yaml

        done = subprocess.run(
            [PROGRAM, "submit", "kubernetes", "my suite.yaml", "--image", "bench:1", "--claim", "bench"]
            + ["--mount", self.project.parent, "--program", PROGRAM, "-o", self.project / "out", *words],
            cwd=self.project, env=self.environment, capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(yaml.safe_load_all(done.stdout))

    def test_the_jobs_fit_the_schema(self):
        import kubernetes_validate

        jobs = self.jobs("--array", "3", "--nodes", "2", "--namespace", "lab")
        self.assertEqual([job["kind"] for job in jobs], ["Job", "Job"])
        for job in jobs:
            for version in VERSIONS:
                kubernetes_validate.validate(job, version, strict=True)
        spec = jobs[0]["spec"]
        self.assertEqual((spec["completionMode"], spec["completions"], spec["parallelism"]), ("Indexed", 3, 2))
        self.assertEqual(spec["template"]["spec"]["containers"][0]["resources"], {"limits": {"nvidia.com/gpu": 1}})
        # Mistakes are found.
        for change in ({"completionmode": "Indexed"}, {"completions": "three"}):
            planted = copy.deepcopy(jobs[0])
            planted["spec"] |= change
            with self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(planted, VERSIONS[0], strict=True)

    def pod(self, job, **variables):
        [container] = job["spec"]["template"]["spec"]["containers"]
        return subprocess.run(
            [*container["command"], *container["args"]],
            env=self.environment | {"NODE_NAME": "node", "KUBERNETES_SERVICE_HOST": "here"} | variables,
            capture_output=True, text=True, timeout=120,
        )

    def test_the_pods_make_one_run(self):
        tasks, judge = self.jobs("--array", "3", "--gpus", "0", "--tries", "2")
        self.assertNotIn("resources", tasks["spec"]["template"]["spec"]["containers"][0])
        for index in ("0", "2"):
            done = self.pod(tasks, JOB_COMPLETION_INDEX=index)
            self.assertEqual(done.returncode, 0, done.stderr)
        # The pod of the second shard fails for ever: it is begun twice, and the third time it gives up.
        codes = [self.pod(tasks, JOB_COMPLETION_INDEX="1", PLUMBLINE_WORKER="/nowhere").returncode for _ in range(3)]
        self.assertEqual(codes, [1, 1, 0])
        done = self.pod(judge)
        self.assertEqual(done.returncode, 3, done.stderr)  # no baseline
        self.assertIn("missing: task 2 did not finish its shard", done.stderr)
        self.assertTrue((self.project / "out/exit_code").exists())
        self.assertTrue((self.project / "runs/out-slurm/report.html").exists())


if __name__ == "__main__":
    load_extra()
    try:
        import kubernetes_validate  # noqa: F401
        import yaml  # noqa: F401
    except ImportError:
        print("skipped: PLUMBLINE_KUBERNETES names no environment of scripts/requirements-kubernetes.txt; scripts/test does")
        sys.exit(77)
    unittest.main()
