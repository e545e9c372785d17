#!/usr/bin/env python3
"""A kernel compiled by Triton, declared as in docs/how-to/kernel.md; without a GPU."""

import json
import re
import sys

import planted

try:
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError:
    print("this Python has no Triton")
    sys.exit(planted.SKIPPED)

README = planted.ROOT / "docs" / "how-to" / "kernel.md"


@triton.jit
def add_kernel(x, y, z, n, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    tl.store(z + offsets, total, mask=mask)


def declared():
    """The benchmark of the README's example."""
    text = README.read_text(encoding="utf-8")
    [example] = re.findall(r"```yaml\n(- op: kernel\n  name: triton_add\n.*?)```", text, re.S)
    return "".join(f"  {line}\n" for line in example.splitlines())


class Triton(planted.Planted):
    def compiled(self, capability):
        signature = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "n": "i32", "SIZE": "constexpr"}
        source = ASTSource(add_kernel, signature, {(4,): 1024})
        kernel = triton.compile(source, target=GPUTarget("cuda", capability, 32))
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        (build / "add_kernel.cubin").write_bytes(kernel.asm["cubin"])
        (build / "add_kernel.ptx").write_text(kernel.asm["ptx"], encoding="utf-8")
        fields = {name: getattr(kernel.metadata, name) for name in kernel.metadata._fields}
        text = json.dumps(fields, default=lambda value: getattr(value, "__dict__", str(value)))
        (build / "add_kernel.json").write_text(text, encoding="utf-8")

    def checked(self, code, *texts, benchmark=None, arch="sm_90a"):
        suite = self.plant(
            "triton.yaml", planted.suite_text("triton", [benchmark or declared()])
        )
        words = ["list", suite, "--compile", "--arch", arch]
        return self.expect(code, self.plumbline(*words), *texts)

    def test_the_declaration_of_the_readme_fits_what_triton_compiles(self):
        self.compiled(90)
        self.checked(0, "1 kernel case looked at for sm_90a")
        as_ptx = declared().replace("add_kernel.cubin", "add_kernel.ptx")
        self.checked(0, "1 kernel case compiled for sm_90a", benchmark=as_ptx)
        [argument] = re.findall(r", \w+: \{scratch: \[1\]\}\}", as_ptx)
        fewer = as_ptx.replace(argument, "}")
        self.checked(2, "6 parameters", "'args' declares 5", benchmark=fewer)

    def test_a_cubin_for_another_gpu_is_told_as_such(self):
        self.compiled(80)
        self.checked(2, "is for sm_80")
        self.checked(0, "looked at for sm_86", arch="sm_86")
        self.compiled(100)
        self.checked(2, "is for sm_100")
        self.checked(0, "looked at for sm_100a", arch="sm_100a")


if __name__ == "__main__":
    planted.main()
