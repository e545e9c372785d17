"""Case ids of tests: `op/python/key=value/…/test=module.name`, with sorted keys. The op is the group, else the test."""

from __future__ import annotations

import re


def case_of(item) -> tuple[str, str]:
    """Case id and op of a pytest item. Neither depends on which other items are collected."""
    marker = item.get_closest_marker("benchmark")
    path, *names = item.nodeid.split("[")[0].split("::")
    function = getattr(item, "originalname", None) or names[-1]
    group = marker.kwargs.get("group") if marker else None
    op = _word(str(group) if group else re.sub(r"^(test|bench|benchmark)_(?=.)", "", function))
    keys = _parameters(item) | {"test": ".".join([path.removesuffix(".py").replace("/", "."), *names])}
    return "/".join([op, "python", *(f"{_word(key)}={_word(keys[key])}" for key in sorted(keys))]), op


def mistake_in(items) -> str:
    """Which tests would be the same case, in words; "" if there are none."""
    known: dict[str, str] = {}
    for item in items:
        case, _ = case_of(item)
        if case in known:
            return f"{item.nodeid} and {known[case]} are one case, '{case}'; give their parameters other values or ids"
        known[case] = item.nodeid
    return ""


def _parameters(item) -> dict[str, str]:
    """Parameters as texts: by name if each has a plain one, else pytest's own id for all of them."""
    if not hasattr(item, "callspec"):
        return {}
    texts = {}
    for name, value in item.callspec.params.items():
        if isinstance(value, (str, int, float, bool, type(None))):
            texts[name] = str(value)
        elif f"{type(value).__module__}.{type(value).__name__}" == "torch.dtype":
            texts[name] = str(value).removeprefix("torch.")
        elif isinstance(getattr(value, "__name__", None), str):
            texts[name] = value.__name__
        else:
            return {"id": item.callspec.id}
    return texts


def _word(text: str) -> str:
    """Part of a case id: replaces characters that would end a part."""
    return re.sub(r'[/=\s,"]', "_", text) or "_"
