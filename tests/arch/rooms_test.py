"""The tree stays clear: docs/architecture.md names every folder and only existing files, no source is too long, no folder
holds too many, and nothing strays to the top level."""

import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".cpp", ".cu", ".h", ".cuh", ".js"}
MOST_LINES = 400
MOST_FILES = 15  # without headers
TOP_LEVEL = {
    ".ci", ".clang-format", ".clang-tidy", ".github", ".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json",
    "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "THIRD_PARTY_NOTICES.md", "baselines", "ci", "docs", "harness",
    "mkdocs.yml", "plumbline.yaml", "reports", "scripts", "suites", "tests",
}  # fmt: skip
LAYERS_WITH_MANY_ALIKE = {"ops", "backends", "device"}  # described as one


def rooms(root):
    """Folders of harness/ that docs/architecture.md must name: layers, and the folders in them."""
    for layer in sorted(path for path in (root / "harness").iterdir() if path.is_dir()):
        yield f"{layer.name}/"
        if layer.name in LAYERS_WITH_MANY_ALIKE:
            continue
        for room in sorted(path for path in layer.iterdir() if path.is_dir()):
            yield f"{room.name}/"


def unnamed(root):
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {re.sub("<[^>]*>/?", "", name) for name in re.findall(r"`([^`]*/)`", text)}
    return [room for room in rooms(root) if room not in named]


def broken_links(root):
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    return [link for link in links if not (root / "docs" / link).exists()]


def missing_files(root):
    """Files that the page names in backticks, by their path from harness/ or from the root."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.(?:cpp|h))`", text)
    return [name for name in named if not (root / "harness" / name).exists() and not (root / name).exists()]


def too_long(root):
    files = [path for folder in ("harness", "reports") for path in (root / folder).rglob("*") if path.suffix in SOURCES]
    lines = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in files}
    return {name: count for name, count in lines.items() if count > MOST_LINES}


def too_full(root):
    folders = [path for folder in ("harness", "reports") for path in (root / folder).rglob("*") if path.is_dir()]
    counts = {
        path.relative_to(root).as_posix(): sum(1 for file in path.iterdir() if file.suffix in {".cpp", ".cu"})
        for path in folders
    }
    return {name: count for name, count in counts.items() if count > MOST_FILES}


def strays(files):
    """Names of the top level that do not belong there, from paths of files."""
    return sorted({path.split("/")[0] for path in files} - TOP_LEVEL)


class Rooms(unittest.TestCase):
    @unittest.skipUnless((ROOT / ".git").exists(), "what belongs to the tree is known by git alone")
    def test_nothing_strays_to_the_top_level(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.assertEqual(strays(listed.splitlines()), [])
        self.assertEqual(strays(["README.md", "docs/index.md", "slurm-1.out", "old/README.md"]), ["old", "slurm-1.out"])

    def test_the_page_names_every_room_and_leads_to_files_that_are_there(self):
        self.assertEqual(unnamed(ROOT), [])
        self.assertEqual(broken_links(ROOT), [])
        self.assertEqual(missing_files(ROOT), [])

    def test_no_source_is_too_long_and_no_folder_too_full(self):
        self.assertEqual(too_long(ROOT), {})
        self.assertEqual(too_full(ROOT), {})

    def test_planted_faults_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            room = root / "harness" / "store" / "attic"
            room.mkdir(parents=True)
            (root / "docs").mkdir()
            (root / "reports").mkdir()
            (root / "docs" / "architecture.md").write_text("`store/` is [here](gone.md), `store/gone.cpp`\n")
            (room / "long.cpp").write_text("\n" * (MOST_LINES + 1))
            for number in range(MOST_FILES):
                (room / f"{number}.cpp").write_text("\n")
            self.assertEqual(unnamed(root), ["attic/"])
            self.assertEqual(broken_links(root), ["gone.md"])
            self.assertEqual(missing_files(root), ["store/gone.cpp"])
            self.assertEqual(too_long(root), {"harness/store/attic/long.cpp": MOST_LINES + 1})
            self.assertEqual(too_full(root), {"harness/store/attic": MOST_FILES + 1})


if __name__ == "__main__":
    unittest.main()
