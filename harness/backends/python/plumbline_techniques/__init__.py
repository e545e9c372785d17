"""How a step of a network is computed: techniques, each with evidence that it was active.

    settings = Settings.of({"step": "training", "precision": "bfloat16", "checkpoint": True})
    step = Step(built(factory, {"layers": 2}, seed=1, device="cuda"), settings, loss=loss)
    args = step.prepared(images=images, labels=labels)  # in the memory format of the step
    evidence = step.report(**args)  # NotImplementedError with the reason if a technique is not active
    step.reset()
    step.mark = timer  # called with the name of each phase when it ends
    value = step(**args)
"""

from .compared import BOUNDS, compare, reference_of
from .settings import Settings
from .step import PHASES, Step, built

__all__ = ["BOUNDS", "PHASES", "Settings", "Step", "built", "compare", "reference_of"]
