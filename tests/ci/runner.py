"""Runs the steps of Plumbline's actions and of a workflow as GitHub's runner does: the files GITHUB_OUTPUT, GITHUB_ENV,
GITHUB_PATH and GITHUB_STEP_SUMMARY, `bash -e -o pipefail`, conditions, defaults of inputs. Actions of others are not run:
what they would get is checked and recorded."""

import json
import os
import pathlib
import re
import subprocess

import expressions
from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 300
# The newest major versions, on 2026-11-27.
MAJORS = {
    "actions/checkout": "v7", "actions/setup-python": "v7", "actions/upload-artifact": "v7", "actions/download-artifact": "v8",
    "actions/upload-pages-artifact": "v5", "actions/deploy-pages": "v5", "github/codeql-action/upload-sarif": "v4",
}
OWN = re.compile(r"OWNER/plumbline/(ci(?:/[\w/]+)?)@v1")


def read_yaml(path):
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


class Job:
    """One job on one runner. `environment`: what the runner's service has; `event`: the webhook's payload."""

    def __init__(self, workspace, environment, event, contexts):
        self.workspace, self.folder = workspace, workspace.parent / f"{workspace.name}-runner"
        self.folder.mkdir(exist_ok=True)
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        self.environment = dict(environment) | {
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace), "RUNNER_TEMP": str(self.folder),
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"), "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        (self.folder / "summary.md").write_text("", encoding="utf-8")
        self.contexts = contexts | {"github": contexts["github"] | {"workspace": str(workspace), "event": event}}
        self.status, self.output, self.used, self.scripts = "success", "", [], []

    def run_workflow_job(self, job, inputs=None):
        """The steps of a workflow's job; `inputs` are added to those of Plumbline's own action. False: its `if` says no."""
        if not expressions.is_run(job.get("if"), self.contexts, "success"):
            return False
        self.run_steps(job["steps"], self.contexts | {"steps": {}}, None, inputs or {})
        return True

    def run_steps(self, steps, contexts, action_path, extra=()):
        for step in steps:
            allowed = {"name", "id", "if", "uses", "with", "run", "env", "shell"}
            if set(step) - allowed:
                raise expressions.Unknown(f"a step with {sorted(set(step) - allowed)}")
            outputs = contexts["steps"].setdefault(step["id"], {"outputs": {}})["outputs"] if "id" in step else {}
            if not expressions.is_run(step.get("if"), contexts, self.status):
                continue
            if "uses" in step:
                outputs |= self.use(step, contexts, dict(extra))
            else:
                outputs |= self.run_script(step, contexts, action_path)

    def use(self, step, contexts, extra):
        given = {key: expressions.shown(expressions.evaluated(value, contexts, self.status)) for key, value in (step.get("with") or {}).items()}
        own = OWN.fullmatch(step["uses"])
        if own:
            return self.use_own(own[1], given | extra)
        name, _, version = step["uses"].partition("@")
        if MAJORS.get(name) != version:
            raise expressions.Unknown(f"{step['uses']}; known are {MAJORS}")
        self.used.append((name, given))
        if name == "actions/upload-artifact":
            for path in given["path"].split():
                if not (self.workspace / path).exists():
                    raise AssertionError(f"{path} of the artifact is not there\n{self.output}")
            return {"artifact-url": f"https://github.com/o/r/actions/runs/7/artifacts/{len(self.used)}"}
        return {}

    def use_own(self, path, given):
        action = read_yaml(ROOT / path / "action.yml")
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise expressions.Unknown(f"{path}: inputs {unknown}")
        inputs = {}
        for name, declared in action["inputs"].items():
            if name not in given and declared.get("required"):
                raise expressions.Unknown(f"{path} needs {name}")
            inputs[name] = given.get(name, expressions.shown(expressions.evaluated(declared.get("default", ""), self.contexts)))
        contexts = {name: self.contexts[name] for name in ("github",)} | {"inputs": inputs, "steps": {}}
        self.run_steps(action["runs"]["steps"], contexts, self.action_path(path))
        return {name: expressions.shown(expressions.evaluated(output["value"], contexts, self.status)) for name, output in action["outputs"].items()}

    def action_path(self, path):
        """Where the runner has downloaded the action to: with the whole repository."""
        return pathlib.Path(self.environment["ACTIONS_FOLDER"]) / path

    def run_script(self, step, contexts, action_path):
        if action_path is not None and step.get("shell") != "bash":
            raise expressions.Unknown("a step of an action needs `shell`; bash is known")
        files = {name: self.folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        declared = {key: expressions.shown(expressions.evaluated(value, contexts, self.status)) for key, value in (step.get("env") or {}).items()}
        environment = self.environment | {name: str(file) for name, file in files.items()} | declared
        environment |= {"GITHUB_ACTION_PATH": str(action_path)} if action_path else {}
        script = self.folder / "step.sh"
        script.write_text(expressions.evaluated(step["run"], contexts, self.status), encoding="utf-8")
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=self.workspace, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=TIMEOUT_S)
        self.output += done.stdout
        self.scripts.append((step.get("name", ""), environment, done.returncode))
        if done.returncode != 0:
            self.status = "failure"
        self.environment |= dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text(encoding="utf-8").splitlines())
        for folder in files["GITHUB_PATH"].read_text(encoding="utf-8").splitlines():
            self.environment["PATH"] = f"{folder}{os.pathsep}{self.environment['PATH']}"
        return dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())

    def summary(self):
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    def commands(self):
        """The workflow commands that were printed: kind, properties, message."""
        found = []
        for line in self.output.splitlines():
            parts = re.match(r"::(error|warning|notice)(?: ([^:]*))?::(.*)", line)
            if parts:
                properties = dict(part.split("=", 1) for part in (parts[2] or "").split(",") if part)
                found.append((parts[1], properties, parts[3]))
        return found
