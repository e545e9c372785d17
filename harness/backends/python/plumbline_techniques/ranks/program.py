"""The program of a rank above 0: it does what rank 0 says, by a pipe. team.py starts it."""

import ctypes
import json
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
SPIN_S = 2e-3  # on a GPU, where waking up takes longer than the launch of a kernel


class EndOfCommands(Exception):
    """Rank 0 has ended."""


def end_with(parent):
    """This process is killed when `parent` ends, also while it waits for another rank."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


class Commands:
    """What rank 0 sends: STEP, or a line of JSON."""

    def __init__(self, descriptor):
        self.descriptor, self.text, self.spins = descriptor, b"", False

    def next(self):
        """None for a step, else the command."""
        while not self.text:
            self.read()
        if self.text[:1] == b".":
            self.text = self.text[1:]
            return None
        while b"\n" not in self.text:
            self.read()
        line, self.text = self.text.split(b"\n", 1)
        return json.loads(line)

    def read(self):
        until = time.monotonic() + SPIN_S
        while self.spins and time.monotonic() < until and not select.select([self.descriptor], [], [], 0)[0]:
            pass
        piece = os.read(self.descriptor, 1 << 16)
        if not piece:
            raise EndOfCommands
        self.text += piece


class Program:
    """Each method is a command; what it returns is the answer, None: there is none."""

    def __init__(self, commands):
        self.commands = commands
        self.rank = self.named = None

    def open(self, rank, ranks, port, threads, device, path, source, function, loss, **opening):
        import torch

        from .group import Group
        from ..sources import Source

        sys.path[:] = path
        torch.set_num_threads(threads)
        source = Source.at(source)
        self.opening = {"factory": source.named(function), "loss": source.named(loss) if loss else None, **opening}
        self.group = Group(rank, ranks, torch.device(device), port)
        self.commands.spins = self.group.device.type == "cuda"
        return {}

    def join(self):
        from .rank import Rank

        self.group.join()
        self.rank = Rank(self.group, **self.opening)
        return {"sizes": self.rank.sizes()}

    def take(self, arguments, settings):
        from .switches import use

        use(settings)
        self.rank.receive(arguments)

    def rehearse(self):
        self.rank.rehearse()
        return {}

    def results(self):
        self.rank.share_results(self.rank.last)

    def watch(self):
        self.rank.watch()

    def watched(self):
        return {"steps": self.rank.watched()}

    def begins(self):
        return {"begins": list(self.rank.begins)}

    def close(self):
        import gc

        self.rank = self.opening = None
        gc.collect()
        self.group.leave()
        return {}

    def serve(self, answer):
        while True:
            command = self.commands.next()
            if command is None:
                self.rank.launch()
                continue
            found = getattr(self, command.pop("what"))(**command)
            if found is not None:
                answer(found)


def main():
    end_with(int(sys.argv[4]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started the worker

    def answer(found):
        os.write(int(sys.argv[3]), json.dumps(found).encode() + b"\n")

    try:
        Program(Commands(int(sys.argv[2]))).serve(answer)
    except EndOfCommands:
        os._exit(0)
    except BaseException as error:
        from ..explained import explained

        answer(explained(error))
    os._exit(1)  # at once, so that the other ranks do not wait for it
