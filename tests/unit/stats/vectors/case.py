"""A case of the vectors, and the generators of its inputs."""

import numpy as np

EXACT, ASYMPTOTIC = 1e-9, 1e-6
SIDES = ["two_sided", "less", "greater"]
CASES = []


def scipy_side(side):
    return side.replace("_", "-")


def add(test, source, tolerance, expect, a, b=None, **options):
    """One case. `expect`: the required answers of the row, by their names in the command's JSON."""
    case = {"test": test, "source": source, "tolerance": tolerance, "a": [float(x) for x in a]}
    if b is not None:
        case["b"] = [float(x) for x in b]
    case["options"] = {name: str(value) for name, value in options.items()}
    case["expect"] = {
        name: [float(v) for v in value] if np.ndim(value) else float(value) for name, value in expect.items()
    }
    assert all(np.isfinite(np.atleast_1d(v)).all() for v in case["expect"].values()), (test, expect)
    CASES.append(case)


def times(rng, n, shift=0.0, spread=0.03):
    """Values like times of a kernel: around 10 µs, no ties."""
    return 1e-5 * (1 + shift) * np.exp(spread * rng.standard_normal(n))


def on_a_grid(rng, n, shift=0.0, steps=4):
    """Values of a coarse timer: many ties."""
    return np.round(steps * (rng.standard_normal(n) + shift)) / 4
