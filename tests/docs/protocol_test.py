"""docs/reference/protocol.md: its tables agree with the JSON Schema, its links work, and its commands end as it says.

`--update` writes the tables into the page.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGE = ROOT / "docs" / "reference" / "protocol.md"
PLUMBLINE = BUILD / "bin" / "plumbline"
TYPES = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "object"
}
TABLE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def type_of(schema):
    """A schema in words."""
    if "allOf" in schema:
        return type_of(schema["allOf"][0])
    if "$ref" in schema:
        return f"`{schema['$ref'].split('/')[-1]}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{name}`" for name in schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if kinds == ["array"]:
        return "list of " + (type_of(schema["items"]) if "items" in schema else "any")
    if "additionalProperties" in schema:
        return f"{type_of(schema['additionalProperties'])} by name"
    return " or ".join(TYPES[kind] for kind in kinds if kind != "null")


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def fields_table(definition):
    required = definition.get("required", [])
    text = row("key", "value", "required", "what it is") + "|---|---|---|---|\n"
    for key, schema in definition["properties"].items():
        text += row(f"`{key}`", type_of(schema), "yes" if key in required else "no", schema["description"])
    return text


def metrics_table(definition):
    text = row("metric", "unit", "profile", "what it is") + "|---|---|---|---|\n"
    for metric in definition["anyOf"]:
        text += row(f"`{metric['const']}`", metric["unit"], metric["profile"], metric["description"])
    return text


def with_tables(page, definitions):
    def table(match):
        name = match[2]
        make = metrics_table if name == "metrics" else fields_table
        return match[1] + make(definitions[name]) + match[4]

    return TABLE.sub(table, page)


def definitions():
    text = subprocess.run([PLUMBLINE, "schema", "protocol"], capture_output=True, text=True, check=True).stdout
    return json.loads(text)["definitions"]


class Page(unittest.TestCase):
    page = PAGE.read_text(encoding="utf-8")

    def test_its_tables_are_those_of_the_schema(self):
        self.assertEqual(self.page, with_tables(self.page, definitions()), "--update writes them")
        named = {match[1] for match in TABLE.findall(self.page)}
        beside = {"request", "message", "devices", "schemas"}  # described in sentences
        self.assertEqual(named, set(definitions()) - beside)

    def test_a_table_that_is_out_of_date_is_found(self):
        old = self.page.replace("| `round` |", "| `lap` |")
        self.assertNotEqual(old, self.page)
        self.assertNotEqual(old, with_tables(old, definitions()))

    def test_its_links_lead_to_files_that_exist(self):
        for link in re.findall(r"\]\(([^)#]+)", self.page):
            self.assertTrue((PAGE.parent / link).exists(), link)

    def test_it_has_the_sections_that_checks_name(self):
        sections = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.*)$", self.page, re.MULTILINE)}
        kit = (ROOT / "harness" / "workflow" / "conformance" / "conformance.cpp").read_text(encoding="utf-8")
        places = set(re.findall(r'^    \{"[^"]+", "([\w-]+)", \w+\},$', kit, re.MULTILINE))
        self.assertGreaterEqual(len(places), 5)
        self.assertLessEqual(places, sections)

    def test_its_commands_end_as_it_says(self):
        suite = re.search(r"^```yaml\n# numpy.yaml\n(.*?)^```", self.page, re.MULTILINE | re.DOTALL)[1]
        commands = re.search(r"^```sh\n(.*?)^```", self.page, re.MULTILINE | re.DOTALL)[1].splitlines()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "numpy.yaml").write_text(suite, encoding="utf-8")
            shutil.copytree(ROOT / "docs" / "reference", folder / "docs" / "reference")
            variables = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")} | {
                "PATH": f"{BUILD / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                "HOME": name, "NO_COLOR": "1", "PLUMBLINE_LOCKS": str(folder / "locks"),
            }
            for line in commands:
                done = subprocess.run(
                    line, shell=True, cwd=folder, env=variables, capture_output=True, text=True, timeout=300
                )
                # Times on a busy machine do not concern the page.
                allowed = {0, 1, 3} if " compare " in line else {0}
                self.assertIn(done.returncode, allowed, f"{line}\n{done.stdout}{done.stderr}")
            findings = json.loads((folder / "comparison.json").read_text())["findings"]
            self.assertEqual({finding["metric"] for finding in findings}, {"wall_time"})
            self.assertEqual(len(findings), 4)
            self.assertNotIn("NOT_JUDGED", {finding["verdict"] for finding in findings}, findings)
            self.assertIn("softmax/worker/cols=1024", (folder / "report.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), definitions()), encoding="utf-8")
    else:
        unittest.main()
