"""A name means one type. If two headers define types with the same name, programs that link both mix them up silently:
the linker keeps one `std::vector<Finding>` of the two (C++ standard, [basic.def.odr])."""

import collections
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".cpp", ".cu", ".h", ".cuh"}
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
SCOPE = re.compile(
    r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
    r"|\b(?:struct|class|union|enum)\s+(?:class\s+)?(?P<type>\w+)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{"
    r"|\{|\}"
)


def types_in(text):
    """Names of the types that a file defines in a named namespace, with the namespace."""
    scopes = []
    for match in SCOPE.finditer(IGNORED.sub(" ", text)):
        if match[0] == "}":
            if scopes:
                scopes.pop()
        elif match["namespace"] is not None:
            scopes.append(match["namespace"])
        else:
            if match["type"] and all(scopes):
                yield "::".join([*scopes, match["type"]])
            scopes.append("")  # skips the inside of types and bodies, and unnamed namespaces


def ambiguous(root):
    """{type: its files} for types that several headers define, or a header and a source."""
    files = collections.defaultdict(set)
    for folder in ("harness", "reports"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES:
                for name in types_in(path.read_text(encoding="utf-8")):
                    files[name].add(path.relative_to(root).as_posix())
    return {name: sorted(places) for name, places in files.items() if len(places) > 1}


class Types(unittest.TestCase):
    def test_a_name_means_one_type(self):
        self.assertEqual(ambiguous(ROOT), {})

    def test_planted_faults_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "harness").mkdir()
            (root / "reports").mkdir()
            (root / "harness" / "one.h").write_text("namespace a {\nstruct Finding {};  // not struct Other {\nstruct Alone {};\n}\n")
            (root / "harness" / "two.cpp").write_text("namespace a {\nclass Finding final : Alone {\n int x; };\n}\n")
            (root / "reports" / "three.h").write_text(
                "namespace a {\nnamespace {\nstruct Alone {};\n}\nvoid f() { struct Finding {}; }\n}\nnamespace b { struct Alone {}; }\n"
            )
            self.assertEqual(ambiguous(root), {"a::Finding": ["harness/one.h", "harness/two.cpp"]})


if __name__ == "__main__":
    unittest.main()
