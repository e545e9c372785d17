"""Every include of the project follows the arrows of harness/LAYERS, no file belongs to two layers, and there are no
cycles of layers or folders."""

import fnmatch
import graphlib
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Rooms of one layer that include each other at present. Pairs may be removed from the list, but none may be added.
ENTANGLED = {
    "harness/analysis/causes harness/analysis/compare",
    "harness/analysis/compare harness/analysis/confirm",
    "harness/analysis/compare harness/analysis/estimate",
    "harness/analysis/compare harness/analysis/history",
    "harness/analysis/devices harness/analysis/estimate",
    "harness/store/json harness/store/run",
    "harness/suite harness/suite/declared",
    "harness/suite harness/suite/graph",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_layers(path):
    """{layer: set of layers it may include}, from the file's lines `layer : layer…`."""
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            layer, allowed = line.split(":")
            layers[layer.strip()] = set(allowed.split())
    return layers


def layer_of(file, layers):
    """The layer with the longest name that is a prefix of `file`, or a pattern that matches it."""
    fits = [
        layer
        for layer in layers
        if file == layer or file.startswith(layer + "/") or fnmatch.fnmatch(file, layer)
    ]
    return max(fits, key=len, default=None)


def include_target(include, root):
    """Path relative to harness/ of an include of this project; None for anything else."""
    if (root / "harness" / include).exists():
        return include
    if (root / include).exists():
        return "../" + include
    return None


def sources(root):
    files = (path for folder in ("harness", "reports") for path in (root / folder).rglob("*"))
    return [path for path in files if path.suffix in {".h", ".cpp", ".cu", ".cuh"}]


def includes(root):
    """{(folder, folder that one of its files includes)}, except those of ENTANGLED."""
    found = set()
    for path in sources(root):
        folder = path.parent.relative_to(root).as_posix()
        for include in INCLUDE.findall(path.read_text()):
            for base in (root / "harness", root):
                if (base / include).exists():
                    found.add((folder, (base / include).parent.relative_to(root).as_posix()))
                    break
    return {(a, b) for a, b in found if a != b and " ".join(sorted((a, b))) not in ENTANGLED}


def circle(arrows):
    """A cycle as a list of names, or nothing."""
    graph = {}
    for begin, end in arrows:
        graph.setdefault(begin, set()).add(end)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def violations(root):
    layers = read_layers(root / "harness" / "LAYERS")
    found = []
    for path in sources(root):
        relative = path.relative_to(root).as_posix()
        file = relative.removeprefix("harness/") if relative.startswith("harness/") else "../" + relative
        layer = layer_of(file, layers)
        if layer is None:
            found.append(f"{relative}: in no layer")
            continue
        for include in INCLUDE.findall(path.read_text()):
            target = include_target(include, root)
            if target is None:
                continue
            to = layer_of(target, layers)
            if to != layer and to not in layers[layer]:
                found.append(f"{relative}: {layer} includes {include} of layer {to}")
    return found


class Layers(unittest.TestCase):
    def test_no_file_includes_what_its_layer_may_not(self):
        self.assertEqual(violations(ROOT), [])

    def test_nothing_goes_in_a_circle(self):
        layers = read_layers(ROOT / "harness" / "LAYERS")
        self.assertEqual(circle((a, b) for a in layers for b in layers[a]), [])
        self.assertEqual(circle(includes(ROOT)), [])

    def test_a_planted_circle_of_folders_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for room, other in (("harness/store/run", "reports/site"), ("reports/site", "store/run")):
                (root / room).mkdir(parents=True)
                (root / room / "page.h").write_text(f'#include "{other}/page.h"\n')
            found = circle(includes(root))
        self.assertEqual(found[0], found[-1])
        self.assertEqual(set(found), {"harness/store/run", "reports/site"})

    def test_a_planted_wrong_include_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "harness/core").mkdir(parents=True)
            (root / "harness/store").mkdir()
            (root / "harness/LAYERS").write_text("core :\nstore : core\n")
            (root / "harness/store/run.h").write_text('#include "core/run.h"\n')
            (root / "harness/core/run.h").write_text('#include "store/run.h"\n')
            self.assertEqual(
                violations(root), ["harness/core/run.h: core includes store/run.h of layer store"]
            )


if __name__ == "__main__":
    unittest.main()
