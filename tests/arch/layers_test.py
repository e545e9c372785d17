"""Every include of the project follows the arrows of harness/LAYERS, and no file has two layers."""

import fnmatch
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
    """The layer with the longest name that is a prefix of, or a pattern for, `file`."""
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


def violations(root):
    layers = read_layers(root / "harness" / "LAYERS")
    found = []
    sources = [p for d in ("harness", "reports") for p in (root / d).rglob("*")]
    for path in sources:
        if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
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
