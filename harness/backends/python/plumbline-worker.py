"""plumbline-worker inside this Python: for `op: python` of suites. Flags are plumbline-worker's.

It loads the worker's library into this process, where it uses the torch of this Python, and gives it
the functions that harness/backends/python/python.h names. The library measures; this calls functions.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import pathlib
import sys
from time import perf_counter  # the clock itself: a function may replace that of the module

PROCESSORS = os.sched_getaffinity(0)  # before torch binds threads to them
LIBRARY = "libplumbline-worker.so"
PACKAGE = "plumbline_techniques"  # what imports sources and computes networks, beside the library
FOLDERS = (".", "../lib", "../lib/plumbline")  # from this file: of a wheel, of a build, of an installation
# Ranks of a network. Multicast can take down a host that others use too. A rank that fails is told by
# plumbline_techniques/ranks/; NCCL would end the process. All ranks are on this machine.
os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")
os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
# Compilers of torch.compile that run beside the measurement would disturb it.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")


def say_and_exit(words):
    print(f"plumbline-worker: {words}", file=sys.stderr)
    sys.exit(2)


try:
    import torch
except ImportError as missing:
    say_and_exit(f"{sys.executable} cannot import torch ({missing}); name a Python with torch in $PLUMBLINE_PYTHON")

# torch.compile sets its assembler for the whole process when it first compiles. Without this,
# Triton kernels of later cases would be compiled with another assembler than those of earlier
# cases.
ASSEMBLER = pathlib.Path(torch.__file__).parent / "bin" / "ptxas"
if os.access(ASSEMBLER, os.X_OK):
    os.environ.setdefault("TRITON_PTXAS_PATH", str(ASSEMBLER))


def lend_package(folder):
    """Imports only the command line's plumbline_gpu: other modules beside it may belong to another
    Python."""
    spec = importlib.util.spec_from_file_location("plumbline_gpu", os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])
    module = sys.modules["plumbline_gpu"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


if os.environ.get("PLUMBLINE_PACKAGE"):
    lend_package(os.environ["PLUMBLINE_PACKAGE"])


def folder_of(name):
    here = pathlib.Path(__file__).absolute().parent
    for folder in FOLDERS:
        if (here / folder / name).exists():
            return here / folder
    raise ImportError(f"there is no {name} in these folders of {here}: {', '.join(FOLDERS)}")


def part(name):
    """A module of the package beside the library."""
    if PACKAGE not in sys.modules:
        sys.path.append(str(folder_of(PACKAGE)))
    return importlib.import_module(PACKAGE + "." + name)


try:
    Source = part("sources").Source
    explained = part("explained").explained
except ImportError as missing:
    say_and_exit(str(missing))


def tensors_in(returned):
    """All tensors of what a function returned, in order."""
    if isinstance(returned, torch.Tensor):
        if type(returned) not in (torch.Tensor, torch.nn.Parameter):
            raise TypeError(f"it returned a {type(returned).__name__}, a tensor subclass, which may be "
                            "computed when it is read; return a plain tensor")
        return [returned]
    items = returned.values() if isinstance(returned, dict) else returned
    if not isinstance(returned, (list, tuple, dict)):
        raise TypeError(f"it returned a {type(returned).__name__}; results are a tensor, or a tuple, list or dict of "
                        "tensors")
    return [tensor for item in items if item is not None for tensor in tensors_in(item)]


def references(items, i):
    """References to items[i], including those of this call."""
    return sys.getrefcount(items[i])


ONE_REFERENCE = references([object()], 0)


def is_kept(tensors, i):
    """Whether anything besides `tensors` and the returned value holds it."""
    times = sum(tensor is tensors[i] for tensor in tensors)
    return references(tensors, i) > ONE_REFERENCE + 2 * times - 1


class Call:
    """A function with its arguments. `returned`: result of the last launch."""

    def __init__(self, function, arguments, written):
        self.function, self.arguments, self.written = function, arguments, written
        self.returned = None

    def launch(self):
        self.returned = None
        self.returned = self.function(**self.arguments)

    def results(self):
        if self.returned is None:  # its results are the tensors that it writes
            return [self.arguments[name] for name in self.written]
        if hasattr(self.function, "results"):  # a network, which says what is compared
            return tensors_in(self.function.results(self.returned))
        return tensors_in(self.returned)

    def keeps_results(self):
        return self.returned is not None and references([self.returned], 0) > ONE_REFERENCE + 1


def value_of(item):
    """An argument: a tensor by the address of its TensorImpl, a list, or a plain value."""
    if isinstance(item, list):
        return [value_of(part) for part in item]
    if isinstance(item, dict):
        return torch._C._wrap_tensor_impl(new_capsule(item["tensor"], None, None))
    return item


def copied(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


class Host:
    """Answers the library's requests: each method is a request, each answer a dict."""

    def __init__(self):
        self.functions, self.calls = [], {}
        self.plans = {}  # by function: what Triton chose for it in its last rehearsal, and evidence of techniques
        self.learners = {}  # by function
        self.calls_made = 0
        self.failure_of_launch = None
        self.kept = None  # tensors that the last answer names

    def addresses(self, tensors):
        self.kept = tensors
        return [tensor._cdata for tensor in tensors]

    def open(self, source, function):
        self.functions.append((Source.at(source), Source.at(source).named(function)))
        return {"function": len(self.functions) - 1}

    def open_module(self, source, function, factory_arguments, loss, accuracy, settings, dtype, device):
        factory = Source.at(source).named(function)
        try:
            loss_function = Source.at(source).named(loss)
        except LookupError:
            if settings["step"] == "training" or accuracy:
                raise
            loss = loss_function = None
        opening = factory, factory_arguments, loss_function, settings, dtype, device
        if settings["ranks"] > 1:
            names = {"source": source, "function": function, "loss": loss}
            step = part("ranks.first").RankedStep(names, PROCESSORS, *opening)
        else:
            step = part("hosted").HostedStep(*opening)
        self.functions.append((Source.at(source), step))
        if accuracy:
            task = Source.at(source).named(accuracy)  # a missing function is told before anything is measured
            learner = part("accuracy").Learner(*opening)
            self.learners[len(self.functions) - 1] = learner, task
        return {"function": len(self.functions) - 1, "bound": step.bound, "has_phases": step.has_phases(),
                "may_be_held": step.may_be_held()}

    def train(self, function, seed):
        self.functions[function][0].enter()
        learner, task = self.learners[function]
        found = learner.learned(part("accuracy").task_of(task), seed)
        return {"accuracy": found["accuracy"], "losses": found["losses"]}

    def module_reference(self, function, arguments):
        values = {name: value_of(item) for name, item in arguments.items()}
        return {"results": self.addresses(tensors_in(self.functions[function][1].reference(**values)))}

    def watch_phases(self, function):
        self.functions[function][1].watch_phases()
        return {}

    def watched_phases(self, function):
        return {"phases": list(self.functions[function][1].watched_phases().items())}

    def flags(self, function):
        return {"flags": self.functions[function][1].flags()}

    def files(self, source):
        return {"files": Source.at(source).files()}

    def bind(self, function, arguments, written, rehearse, counts):
        number, (source, function) = function, self.functions[function]
        source.enter()
        values = {name: value_of(item) for name, item in arguments.items()}
        if hasattr(function, "take_arguments"):  # a network, which may need them elsewhere
            function.take_arguments(values, written)
        rehearsal_s = flops = None
        if rehearse:
            rehearsal = Call(function, {name: copied(value) for name, value in values.items()}, written)
            begin = perf_counter()
            reasons = getattr(function, "reasons", contextlib.nullcontext)  # a network knows what torch cannot do
            with reasons(), source.watched_tuning() as tuned:
                rehearsal.launch()
            for device in {tensor.device for tensor in rehearsal.results() if tensor.is_cuda}:
                torch.cuda.synchronize(device)
            rehearsal_s = perf_counter() - begin
            rehearse = getattr(function, "rehearse", None)  # a network checks itself
            evidence = rehearse(**rehearsal.arguments) if rehearse else {}
            if counts and hasattr(function, "flops"):
                flops = function.flops(rehearsal.arguments)
            plans = [{"graph": name, "plan": words} for name, words in [*tuned, *evidence.items()]]
            self.plans[number] = json.dumps(plans) if plans else ""
        self.calls_made += 1
        self.calls[self.calls_made] = Call(function, values, written)
        return {"call": self.calls_made, "plan": self.plans.get(number, ""), "rehearsal_s": rehearsal_s, "flops": flops,
                "keeps_no_values": not getattr(function, "keeps_values", False)}

    def results(self, call):
        call, self.kept = self.calls[call], None
        keeps_all = call.keeps_results()  # before `tensors` holds them, too
        tensors = call.results()
        kept = tensors if keeps_all else [tensors[i] for i in range(len(tensors)) if is_kept(tensors, i)]
        return {"results": self.addresses(tensors), "kept": [tensor._cdata for tensor in kept]}

    def reference(self, source, function, arguments):
        values = {name: value_of(item) for name, item in arguments.items()}
        return {"results": self.addresses(tensors_in(Source.at(source).named(function)(**values)))}

    def failure(self):
        return self.failure_of_launch


HOST = Host()
ANSWER = None  # the bytes of the last answer


def ask(request):
    global ANSWER
    try:
        request = json.loads(request)
        answer = getattr(HOST, request.pop("what"))(**request)
    except BaseException as error:  # no exception may reach the library's frames
        answer = explained(error)
    ANSWER = ctypes.create_string_buffer(json.dumps(answer).encode())
    return ctypes.addressof(ANSWER)


def launch(call):
    try:
        HOST.calls[call].launch()
        return 0
    except BaseException as error:
        HOST.failure_of_launch = explained(error)
        return 1


def clear(call):
    HOST.calls[call].returned = HOST.kept = None


def drop(call):
    dropped = HOST.calls.pop(call, None)
    if dropped is not None and hasattr(dropped.function, "take_arguments"):
        dropped.function.release(dropped.arguments)


def close(function):
    _, closed = HOST.functions[function]
    if hasattr(closed, "close"):  # a network
        closed.close()
    HOST.functions[function] = None
    HOST.learners.pop(function, None)


class Functions(ctypes.Structure):
    """PythonFunctions of harness/backends/python/python.h."""

    _fields_ = [("ask", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)),
                ("launch", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)),
                ("clear", ctypes.CFUNCTYPE(None, ctypes.c_int)),
                ("drop", ctypes.CFUNCTYPE(None, ctypes.c_int)),
                ("close", ctypes.CFUNCTYPE(None, ctypes.c_int))]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def loaded_library():
    try:
        place = folder_of(LIBRARY) / LIBRARY
    except ImportError as missing:
        say_and_exit(str(missing))
    torch_here = f"torch {torch.__version__} of {sys.executable}"
    try:
        library = ctypes.CDLL(str(place))
    except OSError as error:
        say_and_exit(f"{place} does not go with {torch_here}: {error}")
    library.plumbline_worker_torch.restype = ctypes.c_char_p
    made_for = library.plumbline_worker_torch().decode()
    if made_for.split(".")[:2] != torch.__version__.split(".")[:2]:
        say_and_exit(f"this worker is for torch {made_for}, and there is {torch_here}; name another Python in "
                     "$PLUMBLINE_PYTHON, or `plumbline worker build` makes a worker for it")
    return library


def main():
    library = loaded_library()
    given = (ask, launch, clear, drop, close)
    functions = Functions(*[kind(function) for (_, kind), function in zip(Functions._fields_, given)])
    library.plumbline_use_python(ctypes.byref(functions))
    words = [os.fsencode(word) for word in sys.argv]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    sys.exit(library.plumbline_worker_main(len(words), argv))


if __name__ == "__main__":
    main()
