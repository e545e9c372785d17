#!/usr/bin/python3
"""A worker that is started before its turn: it is silent until it is needed, and ends if it is not."""

import json
import os
import select

import planted

REQUESTS, ANSWERS, GATE = 3, 4, 6  # descriptors of harness/protocol/messages.h


class Standby(planted.Planted):
    def start_worker(self, **variables):
        """Starts a worker; returns its process id and our ends of requests, answers and gate."""
        ours, theirs, actions = {}, [], []
        for number in (REQUESTS, ANSWERS, GATE):
            read_end, write_end = os.pipe()
            ours[number], other = (read_end, write_end) if number == ANSWERS else (write_end, read_end)
            theirs.append(other)
            actions.append((os.POSIX_SPAWN_DUP2, other, number))
        path = str(planted.BIN / "plumbline-worker")
        words = [path, "--device", "cpu", "--profile", "timing"]
        with open(self.folder / "worker.log", "wb") as log:
            for number in (1, 2):
                actions.append((os.POSIX_SPAWN_DUP2, log.fileno(), number))
            pid = os.posix_spawn(path, words, self.environment(**variables), file_actions=actions)
        for descriptor in theirs:
            os.close(descriptor)
        return pid, ours

    def ended(self, pid):
        """Its exit code after it has ended."""
        descriptor = os.pidfd_open(pid)
        self.addCleanup(os.close, descriptor)
        self.assertTrue(select.select([descriptor], [], [], planted.LIMIT_S)[0], "it does not end")
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def said(self, descriptor):
        with os.fdopen(descriptor) as answers:
            return [json.loads(line) for line in answers]

    def test_one_that_nobody_needs_ends_without_a_word(self):
        pid, ours = self.start_worker(PLUMBLINE_STANDBY=str(GATE))
        os.close(ours[GATE])
        self.assertEqual(self.ended(pid), 0)
        self.assertEqual(self.said(ours[ANSWERS]), [])
        os.close(ours[REQUESTS])

    def test_one_that_is_needed_goes_on(self):
        pid, ours = self.start_worker(PLUMBLINE_STANDBY=str(GATE))
        os.write(ours[GATE], b" \n")
        os.close(ours[REQUESTS])
        self.assertEqual(self.ended(pid), 0)
        (hello,) = self.said(ours[ANSWERS])
        self.assertIn("timing", hello["hello"]["profiles"])
        os.close(ours[GATE])

    def test_one_that_is_not_told_to_does_not_wait(self):
        pid, ours = self.start_worker()
        os.close(ours[REQUESTS])
        self.assertEqual(self.ended(pid), 0)
        self.assertEqual(len(self.said(ours[ANSWERS])), 1)
        os.close(ours[GATE])


if __name__ == "__main__":
    planted.main()
