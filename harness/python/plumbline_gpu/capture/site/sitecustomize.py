"""Python runs this file before the program of `plumbline capture`: it starts the recorder once torch is imported."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import pathlib
import sys

HERE = str(pathlib.Path(__file__).resolve().parent)


class AfterTorch(importlib.abc.MetaPathFinder):
    """Finds torch as usual, and starts the recorder after its import."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_start(module):
                load(module)
                start()

            spec.loader.exec_module = load_and_start
        return spec


def start():
    try:
        from plumbline_gpu.capture.recorder import start_recorder

        start_recorder()
    except Exception as error:  # the program itself continues
        print(f"plumbline: nothing is recorded: {error!r}", file=sys.stderr)


def run_the_usual_one():
    """The sitecustomize that this one hides."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None and spec.origin != __file__:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or ".") != HERE]
sys.path.append(str(pathlib.Path(HERE).parents[2]))  # after all others: the program's imports do not change
if os.environ.get("PLUMBLINE_CAPTURE") and os.environ.get("RANK", "0") == "0":
    sys.meta_path.insert(0, AfterTorch())
run_the_usual_one()
