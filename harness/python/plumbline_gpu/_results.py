"""What a visit measured, and whether a callable returned what a reference and its own first call did."""

# Allowed relative L2 errors, by the type of the result.
_TOLERANCES = {"float64": 1e-10, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}


def readings_of(visited):
    """The readings of the only metric of a visit. Raises RuntimeError with the reason if nothing was measured."""
    metrics, absent = visited
    if not metrics:
        raise RuntimeError("nothing could be measured: " + "; ".join(f"{name}: {why}" for name, why in absent.items()))
    return metrics[0]


class Results:
    """Verifies `fn` once, then keeps what its launches return."""

    def __init__(self, fn, reference, tolerance):
        self._fn, self._reference, self._tolerance = fn, reference, tolerance
        self._first = self._last = None

    def verify(self, args, kwargs, original_args, original_kwargs):
        """Launches at a place and compares. Returns why it is wrong, or ""."""
        import torch

        self._first = [t.detach().clone() for t in _tensors(self._fn(*args, **kwargs))]
        if self._reference is None:
            return ""
        with torch.no_grad():
            expected = _tensors(self._reference(*_in_float64(original_args), **_in_float64(original_kwargs)))
        if len(expected) != len(self._first):
            return f"{len(self._first)} results, the reference has {len(expected)}"
        for i, (found, right) in enumerate(zip(self._first, expected)):
            if wrong := _error(found, right, self._tolerance):
                return f"result {i}: {wrong}"
        return ""

    def launch_of(self, args, kwargs):
        def launch():
            self._last = self._fn(*args, **kwargs)

        return launch

    def compare_last(self):
        """Whether the last timed launch returned what the verified one did. Returns why not, or ""."""
        last = _tensors(self._last)
        if len(last) != len(self._first):
            return f"a timed call returned {len(last)} results, the first call {len(self._first)}"
        for i, (found, right) in enumerate(zip(last, self._first)):
            if wrong := _error(found, right, self._tolerance):
                return f"result {i} of a timed call is not that of the first call: {wrong}"
        return ""

    def differs_from(self, other):
        """Whether the last launch returned what another's verified one did. Returns why not, or ""."""
        found = _tensors(self._last)
        if len(found) != len(other._first):
            return f"{len(found)} results instead of {len(other._first)}"
        for i, (mine, right) in enumerate(zip(found, other._first)):
            if wrong := _error(mine, right, self._tolerance):
                return f"result {i} differs: {wrong}"
        return ""


def _tensors(results):
    import torch

    if isinstance(results, torch.Tensor):
        return [results]
    if isinstance(results, dict):
        results = tuple(results.values())
    if isinstance(results, (list, tuple)):
        return [t for part in results for t in _tensors(part)]
    return []


def _in_float64(value):
    import torch

    if isinstance(value, torch.Tensor):
        return value.detach().double() if value.is_floating_point() else value
    if isinstance(value, tuple):
        return tuple(_in_float64(part) for part in value)
    if isinstance(value, list):
        return [_in_float64(part) for part in value]
    if isinstance(value, dict):
        return {name: _in_float64(part) for name, part in value.items()}
    return value


def _error(found, right, tolerance):
    import torch

    if found.shape != right.shape:
        return f"shape {tuple(found.shape)}, expected {tuple(right.shape)}"
    if not found.is_floating_point():
        return "" if torch.equal(found, right.to(found.dtype)) else "other values than expected"
    allowed = tolerance if tolerance is not None else _TOLERANCES.get(str(found.dtype).removeprefix("torch."), 0.1)
    found, right = found.detach().double(), right.detach().double()
    if not torch.equal(torch.isfinite(found), torch.isfinite(right)):
        return "not finite where the expected values are, or the reverse"
    found, right = torch.nan_to_num(found), torch.nan_to_num(right)
    size = torch.linalg.vector_norm(right).item()
    off = torch.linalg.vector_norm(found - right).item()
    relative = off / size if size > 0 else off
    return "" if relative <= allowed else f"relative L2 error {relative:.2g}, allowed {allowed:.2g}"
