"""The bill of materials (SBOM) that is installed with the programs names what THIRD_PARTY_NOTICES.md says is in them, with
the versions of this machine and the hashes of the pins. notices_test.py looks for it in an installation."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = "| Planted | 1.2.3 | MIT | `plumbline` | `libfmt-dev`, `planted.h` | [x](https://example.org) |"


def bill(root=ROOT, part="cli"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bill.json"
        subprocess.run([root / "scripts/sbom", part, file], check=True)
        return json.loads(file.read_text(encoding="utf-8"))


class Bill(unittest.TestCase):
    def test_it_names_what_is_shipped(self):
        notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8").split("## Data")[0]
        rows = [row for row in re.findall(r"^\| .*", notices, re.M) if "`plumbline`" in row]
        names = {component["name"] for component in bill()["components"]}
        self.assertGreater(len(rows), 8)
        for row in rows:
            self.assertIn(row.split(" | ")[0].lstrip("| "), names)
        self.assertNotIn("Google Benchmark", names)
        self.assertIn("LibTorch's headers", {component["name"] for component in bill(part="worker")["components"]})

    def test_it_is_cyclonedx(self):
        whole = bill()
        self.assertEqual((whole["bomFormat"], whole["specVersion"], whole["version"]), ("CycloneDX", "1.5", 1))
        self.assertRegex(whole["serialNumber"], r"^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertEqual(whole, bill(), "equal sources give an equal bill")
        references = [component["bom-ref"] for component in whole["components"]]
        self.assertEqual(len(set(references)), len(references))
        self.assertEqual(whole["dependencies"][0]["dependsOn"], references)
        for component in whole["components"]:
            self.assertTrue(component["name"] and component["version"] and component["licenses"], component)
            self.assertRegex(component.get("purl", "pkg:"), r"^pkg:((deb/\w+|pypi)/[\w.+-]+@[\w.%+-]+(\?arch=\w+)?)?$")

    def test_packages_of_pypi_have_the_hashes_of_the_pins(self):
        pins = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scripts").glob("requirements*.txt"))
        packages = [component for part in ("cli", "worker") for component in bill(part=part)["components"]
                    if component.get("purl", "").startswith("pkg:pypi/")]
        self.assertGreater(len(packages), 4)
        for component in packages:
            self.assertTrue(component["hashes"], component)
            for one in component["hashes"]:
                self.assertIn(f"--hash=sha256:{one['content']}", pins)

    def test_what_is_added_to_the_notices_is_added_to_it(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            shutil.copytree(ROOT / "scripts", tree / "scripts")
            shutil.copy(ROOT / "CMakeLists.txt", tree)
            notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8")
            (tree / "THIRD_PARTY_NOTICES.md").write_text(notices.replace("| CLI11 |", f"{ROW}\n| CLI11 |"), encoding="utf-8")
            added = [component for component in bill(tree)["components"] if component["name"] == "Planted"]
            self.assertEqual(len(added), 1)
            self.assertNotEqual(bill(tree)["serialNumber"], bill()["serialNumber"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
