"""What is said of a failure in Python: its kind, its words, and the place in the suite's code."""

import traceback

import torch

from .sources import Source, is_own

# Words of torch's errors in a rank that waited for another one.
OF_OTHERS = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "gloo", "NCCL", "aborted")


def explained(error):
    """{"failure", "kind"}, and "follows" if another rank may be the cause."""
    kind = "error"
    if hasattr(error, "answer"):  # it is explained already
        return error.answer
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        kind = "out of memory"
    elif isinstance(error, (ImportError, NotImplementedError)):
        kind = "unsupported"
    elif type(error).__name__ == "WrongResult":
        kind = "wrong"
    places = [frame for frame in traceback.extract_tb(error.__traceback__)
              if any(is_own(frame.filename, folder) for folder in Source.folders)]  # fmt: skip
    where = f" ({places[-1].filename}:{places[-1].lineno}, in {places[-1].name})" if places else ""
    found = {"failure": f"{type(error).__name__}: {error}{where}", "kind": kind}
    if isinstance(error, RuntimeError) and any(words in str(error) for words in OF_OTHERS):
        found["follows"] = True
    return found
