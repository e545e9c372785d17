"""Processes that compute a step together with this one, which is rank 0.

Commands go to each by a pipe of its own, answers come back by another. Threads read the answers and see a process that
ends, because rank 0 may be blocked then, waiting for it.
"""

import contextlib
import faulthandler
import json
import os
import pathlib
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading

PACKAGE = pathlib.Path(__file__).absolute().parents[1]
# The processors are set before torch is imported, whose threads they bind.
PROGRAM = f"""
import os, sys
if sys.argv[5]: os.sched_setaffinity(0, map(int, sys.argv[5].split(",")))
sys.path[:1] = []
sys.path.append(sys.argv[1])
from {PACKAGE.name}.ranks.program import main
main()
"""
STEP = b"."  # the command that is sent before each step: one byte
NOWHERE = open(os.devnull, "w", encoding="ascii")  # for where each thread is, which would hide the last words
TOLD = 400  # characters of a process's last words
# Rank 0 fails before it is known which process was the cause.
PATIENCE_S = 5.0
# Rank 0 has this long to end a step of which another rank failed. It may wait for that rank on its GPU, where aborting may
# not help, or abort without an end.
NOTICE_S = 20.0


class RankFailure(Exception):
    """A rank failed. `answer`: what plumbline-worker.py tells the library."""

    def __init__(self, answer):
        super().__init__(answer["failure"])
        self.answer = answer


def processors_of(processors, rank, ranks):
    """The part of them that a rank uses; several ranks share one if there are too few."""
    ordered = sorted(processors)
    begin, end = rank * len(ordered) // ranks, (rank + 1) * len(ordered) // ranks
    return tuple(ordered[begin : max(end, begin + 1)])


class Process:
    """Another rank. It ends when its commands end, or with this process. `processors`: () for all of rank 0."""

    def __init__(self, processors):
        self.processors = processors
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.said = tempfile.TemporaryFile()  # what it prints
        words = [sys.executable, "-c", PROGRAM, str(PACKAGE.parent), str(commands), str(answers), str(os.getpid()),
                 ",".join(map(str, processors))]
        try:
            self.child = subprocess.Popen(words, pass_fds=(commands, answers), stdin=subprocess.DEVNULL,
                                          stdout=self.said, stderr=self.said)  # fmt: skip
        finally:
            os.close(commands)
            os.close(answers)
        self.exit = os.pidfd_open(self.child.pid)

    def send(self, command):
        with contextlib.suppress(BrokenPipeError):  # it ended, which its reader tells
            os.write(self.commands, command)

    def how_it_ended(self):
        """ "with signal 9 (SIGKILL): the end of what it printed" """
        code = self.child.wait()
        end = f"with signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"with exit code {code}"
        self.said.seek(0)
        words = " ".join(self.said.read().decode(errors="replace").split())
        return end + (f": {words[-TOLD:]}" if words else "")

    def kill(self):
        self.child.kill()
        self.child.wait()
        for descriptor in (self.commands, self.answers, self.exit):
            os.close(descriptor)
        self.said.close()


class Team:
    """The processes of ranks 1, 2, …. `abort` is called in another thread when one failed: it ends the waiting of
    rank 0."""

    idle = []  # processes of closed teams, because starting one takes seconds

    def __init__(self, processors, abort):
        """`processors` of each rank from 1."""
        self.processes = [Team.started(own) for own in processors]
        self.abort = abort
        self.failures = {}  # by rank: its answer
        self.lock, self.has_failed = threading.Lock(), threading.Event()
        self.answers = [queue.SimpleQueue() for _ in self.processes]
        self.is_over, self.over = os.pipe()
        self.readers = [threading.Thread(target=self.read, args=(i,), daemon=True) for i in range(len(processors))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def started(processors):
        """An idle process with these processors, or a new one."""
        for process in [process for process in Team.idle if process.child.poll() is not None]:
            Team.idle.remove(process)
            process.kill()
        for process in Team.idle:
            if process.processors == processors:
                Team.idle.remove(process)
                return process
        return Process(processors)

    # In the threads that read.

    def read(self, i):
        process, text = self.processes[i], b""
        poll = select.poll()
        for descriptor in (process.answers, process.exit, self.is_over):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if process.answers in ready:  # what it said comes before its end
                piece = os.read(process.answers, 1 << 16)
                *lines, text = (text + piece).split(b"\n")
                for line in lines:
                    self.answered(i, json.loads(line))
                if piece:
                    continue
            elif self.is_over in ready:
                return
            self.fail(i, {"failure": f"rank {i + 1} ended {process.how_it_ended()}", "kind": "error"})
            return

    def answered(self, i, answer):
        if "failure" in answer:
            self.fail(i, {**answer, "failure": f"rank {i + 1}: {answer['failure']}"})
        else:
            self.answers[i].put(answer)

    def fail(self, i, failure):
        """Keeps what the rank said, else how it ended."""
        with self.lock:
            self.failures.setdefault(i + 1, failure)
        self.answers[i].put(None)
        is_first = not self.has_failed.is_set()
        self.has_failed.set()
        if is_first:
            self.set_time_limit(failure["failure"])
        self.abort()

    @staticmethod
    def set_time_limit(failure):
        """Ends this process with the failure as its last words, unless the time limit is taken back. faulthandler does so
        from a thread that needs no interpreter: what hangs may hold that."""
        print(failure, file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(NOTICE_S, exit=True, file=NOWHERE)

    # For rank 0.

    def tell(self, command, **of_rank):
        """Sends a command to all. `of_rank`: members that differ, each a list by rank from 1."""
        for i, process in enumerate(self.processes):
            own = {name: values[i] for name, values in of_rank.items()}
            process.send(json.dumps({**command, **own}).encode() + b"\n")

    def heard(self):
        """The answers of all to a command, by rank from 1."""
        found = [answers.get() for answers in self.answers]
        self.require_all()
        return found

    def step(self):
        """Tells all to compute their step. Called within what is timed."""
        if self.has_failed.is_set():
            self.require_all()
        for process in self.processes:
            process.send(STEP)

    def require_all(self):
        """Raises RankFailure if a rank failed. One that failed because another one did is not the cause."""
        if not self.has_failed.is_set():
            return
        with self.lock:
            failures = list(self.failures.values())
        raise RankFailure(min(failures, key=lambda failure: failure.get("follows", False)))

    @contextlib.contextmanager
    def causes(self):
        """What rank 0 does meanwhile fails with the cause: if a rank failed, that is it."""
        try:
            yield
        except RankFailure:
            raise
        except BaseException as error:
            if not is_own(error) and self.has_failed.wait(PATIENCE_S) and not self.all_say(str(error)):
                self.require_all()
            raise

    def all_say(self, words):
        """Whether the ranks that failed did so with these words, too: then no rank is the cause."""
        with self.lock:
            return bool(words) and all(words in failure["failure"] for failure in self.failures.values())

    def keep(self):
        """Keeps the processes for another team, when they have answered to "close"."""
        with contextlib.suppress(RankFailure):
            self.heard()
        if self.has_failed.is_set():
            self.end()
            return self.take_back_time_limit()
        self.end_reading()
        Team.idle += self.processes

    def end(self):
        """Ends the processes. `take_back_time_limit` is called when all that may hang is over."""
        self.end_reading()
        for process in self.processes:
            process.kill()

    @staticmethod
    def take_back_time_limit():
        faulthandler.cancel_dump_traceback_later()

    def end_reading(self):
        os.close(self.over)
        for reader in self.readers:
            reader.join()
        os.close(self.is_over)


def is_own(error):
    """Whether a failure comes from the rank itself. Others mostly come from communication with a rank that failed."""
    return isinstance(error, (ImportError, NotImplementedError, MemoryError)) or type(error).__name__ in (
        "WrongResult", "OutOfMemoryError")  # fmt: skip
