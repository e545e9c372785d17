"""Files of a suite's code in Python, and how they are imported."""

import ast
import contextlib
import functools
import importlib.util
import inspect
import os
import pathlib
import sys


INSTALLED = ("site-packages", "dist-packages")


def is_own(file, folder):
    """True for a file of the folder that nobody installed: an environment of Python may lie in the folder, as .venv/
    does in many repositories."""
    if not file.startswith(folder + os.sep):
        return False
    if any(name in INSTALLED for name in file[len(folder) :].split(os.sep)):
        return False
    prefixes = {prefix + os.sep for prefix in (sys.prefix, sys.base_prefix) if prefix.startswith(folder + os.sep)}
    return not file.startswith(tuple(prefixes))


def is_in(module, folder):
    file = getattr(module, "__file__", None)  # modules that torch creates have names without a
                                              # folder
    return isinstance(file, str) and file.endswith(".py") and is_own(file, folder)


@functools.cache  # a loaded module stays as it is
def imported_by(file, package):
    """Full names of what a file imports anywhere in it, and of the packages around. Some may be no modules."""
    names = []
    for node in ast.walk(ast.parse(pathlib.Path(file).read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, [above, node.module]))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return {".".join(parts[:i]) for parts in (name.split(".") for name in names) for i in range(1, len(parts) + 1)}


def best_config_of(kernel):
    """The configuration that Triton's autotuner chose last, or None."""
    return inspect.getattr_static(kernel, "best_config", None)  # others' objects may fail when asked


class Source:
    """A Python file and the modules that it imports from its folder."""

    def __init__(self, path):
        self.path = path
        self.folder = os.path.dirname(path)
        self.module = None
        self.brought = set()  # modules that were loaded with it

    def enter(self):
        """Searches its folder first for imports. Other suites may have modules of the same
        names."""
        if self.folder in sys.path:
            sys.path.remove(self.folder)
        sys.path.insert(0, self.folder)
        if self.module is None:
            here = {file.stem for file in pathlib.Path(self.folder).glob("*.py")}
            for name in here & set(sys.modules):
                if any(is_in(sys.modules[name], other) for other in Source.folders - {self.folder}):
                    del sys.modules[name]
            Source.folders.add(self.folder)
            self.module = self.imported()
        return self.module

    def imported(self):
        name = pathlib.Path(self.path).stem
        known = sys.modules.get(name)
        if known is not None and getattr(known, "__file__", None) == self.path:
            return known
        if known is not None:  # the name belongs to a module from elsewhere
            name = "plumbline_source_" + name
        spec = importlib.util.spec_from_file_location(name, self.path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        loaded = set(sys.modules)
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leaves no files in the
                                                                         # user's folder
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]  # otherwise the next case would find a half-imported module
            raise
        finally:
            sys.dont_write_bytecode = before
        self.brought = set(sys.modules) - loaded  # also those that no import statement names
        return module

    @staticmethod
    def at(path):
        return Source.known.setdefault(path, Source(path))

    def named(self, name):
        """The function of that name, or of a class."""
        value = self.enter()
        for word in name.split("."):
            if not hasattr(value, word):
                raise LookupError(f"{self.path} has no '{name}'")
            value = getattr(value, word)
        if not callable(value):
            raise TypeError(f"'{name}' of {self.path} is a {type(value).__name__}, which cannot be called")
        return value

    def modules(self):
        """Its own module and those of its folder that it imports, also through each other. Sources of the same folder are
        loaded into the same process, and are no part of it."""
        found, names = {}, {self.module.__name__, *self.brought} if self.module else set()
        while names:
            name = names.pop()
            module = sys.modules.get(name)
            if name not in found and is_in(module, self.folder):
                found[name] = module
                names |= imported_by(module.__file__, module.__spec__.parent if module.__spec__ else "")
        return list(found.values())

    def files(self):
        return sorted({self.path, *(module.__file__ for module in self.modules())})

    def tuned_kernels(self):
        """{name: kernel} of those that Triton has tuned, in this process, for any function of these files."""
        return {
            name: value
            for module in self.modules()
            for name, value in vars(module).items()
            if not isinstance(value, type) and best_config_of(value) is not None
        }

    @contextlib.contextmanager
    def watched_tuning(self):
        """Gives a list. After the block it has (kernel, configuration) of each tuned kernel that was launched in it:
        Triton's autotuner sets its `best_config` at each launch. Kernels of other functions are not in it."""
        before = {name: (kernel, best_config_of(kernel)) for name, kernel in self.tuned_kernels().items()}
        for kernel, _ in before.values():
            with contextlib.suppress(AttributeError):  # of others' objects, which keep it elsewhere
                del kernel.best_config
        found = []
        try:
            yield found
        finally:
            found += sorted((name, str(best_config_of(kernel))) for name, kernel in self.tuned_kernels().items())
            for kernel, best in before.values():
                if best_config_of(kernel) is None:
                    kernel.best_config = best


Source.folders = set()  # of all sources loaded so far
Source.known = {}  # by path
