"""The extension module (../engine/module.cpp). Times are in seconds, clocks in Hz."""

from typing import Any, Callable, Sequence

class Error(Exception): ...

class Engine:
    """A device of this process. Its stream is to be torch's current one while it measures."""

    def __init__(self, device: str) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def is_cuda(self) -> bool: ...
    @property
    def stream(self) -> int: ...
    @property
    def device(self) -> dict[str, str]: ...
    @property
    def environment(self) -> dict[str, str]: ...
    def visit(
        self,
        place: Callable[[int], Callable[[], Any]],
        cache: str,
        blocks_min: int,
        blocks_max: int,
        samples: int,
        precision: float,
        budget_s: float,
        warmup_s: float,
        rest: float,
    ) -> tuple[list[dict[str, Any]], dict[str, str]]: ...
    def can_be_held(self, launch: Callable[[], Any]) -> bool: ...
    def time_block(
        self,
        launch: Callable[[], Any],
        cache: str = "cold",
        samples: int = 6,
        batch: int = 1,
        is_held: bool = True,
    ) -> dict[str, Any]: ...
    def synchronize(self) -> None: ...

def mean_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float, float]: ...
