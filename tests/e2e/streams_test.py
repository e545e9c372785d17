#!/usr/bin/python3
"""The stream axis on a CPU: every such case is UNSUPPORTED with a reason; the others are measured."""

import planted

CASES = """  - op: relu
    sweep:
      elements: [1000]
      dtype: [float32]
      stream: [{}, {count: 4}, {priority: -2}, {background: 0.5}, {count: 2, overlap: copy_pinned}]
"""


class StreamsOnACpu(planted.Planted):
    def test_streams_are_unsupported_and_a_plain_launch_is_measured(self):
        suite = self.plant("streams.yaml", planted.suite_text("streams", [CASES]))
        path = self.folder / "run"
        self.plumbline(*self.run_words(suite, path))
        found = {}
        for row in planted.read_rows(path):
            found.setdefault(row["case"], (row["status"], row["reason"]))
        plain = {case: state for case, state in found.items() if "stream." not in case}
        self.assertEqual([state for state, _ in plain.values()], ["OK"])
        self.assertEqual(len(found), 5, found)
        for case, (status, reason) in found.items():
            if "stream." in case:
                self.assertEqual(status, "UNSUPPORTED", case)
                self.assertIn("a CPU has no streams", reason)

    def test_a_number_outside_its_range_is_refused_with_its_place(self):
        for stream, said in (
            ("{count: 129}", "at most 128"),
            ("{background: 1.5}", "at most 1"),
            ("{priority: urgent}", "'urgent' is not allowed"),
        ):
            with self.subTest(stream):
                text = CASES.replace("{count: 4}", stream)
                suite = self.plant("streams.yaml", planted.suite_text("streams", [text]))
                done = self.plumbline(*self.run_words(suite, self.folder / "run"))
                self.expect(2, done, "streams.yaml:8:", said)


if __name__ == "__main__":
    planted.main()
