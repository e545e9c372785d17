#!/usr/bin/python3
"""cuDNN without a GPU: listed, checked as far as possible, and UNSUPPORTED with the reason.

Needs bin/ and lib/ of a build (see planted.py), suites/, tests/ and Python.
"""

import json
import pathlib

import planted

REASON = "cuDNN computes on NVIDIA GPUs only"
GRAPH = """suite: graphs
benchmarks:
  - op: cudnn.graph
    name: exponential
    sweep: {dtype: [float32]}
    graph:
      tensors: {x: {dim: [1, 8, 8], stride: [64, 8, 1]}, y: {}}
      nodes: [{tag: POINTWISE, mode: EXP, inputs: {IN_0: x}, outputs: {OUT_0: y}}]
"""


class CudnnWithoutAGpu(planted.Planted):
    def only(self, text):
        run = self.folder / "run"
        self.plumbline("run", self.plant("s.yaml", text), "--device", "cpu", "-o", run, "--rounds", "1")
        return {row["case"]: (row["status"], row["reason"]) for row in planted.read_rows(run)}

    def test_the_catalogue_lists_what_cudnn_computes(self):
        done = self.plumbline("ops", "--json")
        self.expect(0, done)
        ops = {op["op"]: op["backends"] for op in json.loads(done.stdout)}
        for op in ("conv2d", "gemm", "sdpa", "rms_norm", "batch_norm", "max_pool2d", "rnn", "ctc_loss"):
            self.assertIn("cudnn", ops[op], op)
        self.assertNotIn("cudnn", ops["sort"])

    def test_cases_are_unsupported_and_never_an_error(self):
        rows = self.only(
            "suite: s\nbenchmarks:\n"
            "  - {op: gemm, backend: cudnn, sweep: {m: 8, n: 8, k: 8, plan: [heuristic, autotune], "
            "dtype: float16, direction: [forward, backward]}}\n"
            "  - {op: rnn, backend: cudnn, sweep: {cell: lstm, steps: 2, batch: 2, input: 4, hidden: 4, "
            "dtype: float32}}\n"
            "  - {op: softmax, backend: cudnn, sweep: {rows: 4, cols: 4, dtype: float32}}\n"
        )
        self.assertEqual(len(rows), 6)
        for case, (status, reason) in rows.items():
            self.assertEqual(status, "UNSUPPORTED", case)
            self.assertIn(REASON, reason, case)

    def test_a_graph_is_read_and_then_unsupported(self):
        [(status, reason)] = self.only(GRAPH).values()
        self.assertEqual(status, "UNSUPPORTED")
        self.assertIn(REASON, reason)

    def test_a_mistake_in_a_graph_is_found_when_cases_are_listed(self):
        suite = self.plant("s.yaml", GRAPH.replace("IN_0: x", "IN_0: z"))
        done = self.plumbline("list", suite, "--device", "cpu")
        self.expect(2, done, "s.yaml:8:58: POINTWISE: there is no tensor 'z'; allowed: x, y")

    def test_a_mode_that_there_is_not_is_found_when_cases_are_listed(self):
        done = self.plumbline("list", self.plant("s.yaml", GRAPH.replace("EXP", "EXPO")), "--device", "cpu")
        self.expect(2, done, "s.yaml:8:38: 'mode' is the text 'EXPO', which is none of its values; did you mean 'EXP'?")

    def test_the_list_says_that_a_graph_needs_a_gpu(self):
        done = self.plumbline("list", self.plant("s.yaml", GRAPH), "--device", "cpu")
        self.expect(0, done)
        self.assertIn(f"exponential/cudnn/dtype=float32  # UNSUPPORTED: {REASON}", done.stdout)

    def test_what_cudnn_frontend_refuses_is_said_in_its_words(self):
        node = "{tag: TRANSPOSE, permutation: [0, 2, 1], inputs: {X: x}, outputs: {Y: y}}"
        graph = GRAPH.replace("{tag: POINTWISE, mode: EXP, inputs: {IN_0: x}, outputs: {OUT_0: y}}", node)
        [(status, reason)] = self.only(graph.replace("y: {}", "y: {data_type: HALF}")).values()
        self.assertNotEqual(status, "OK")
        self.assertIn("data types must match for transpose", reason)

    def test_compile_lets_cudnn_frontend_read_the_graphs(self):
        suite = self.plant("s.yaml", GRAPH)
        done = self.plumbline("list", suite, "--compile")
        self.expect(0, done)
        self.assertIn("1 graph case read and validated by cudnn-frontend", done.stdout + done.stderr)
        node = "{tag: TRANSPOSE, permutation: [0, 2, 1], inputs: {X: x}, outputs: {Y: y}}"
        graph = GRAPH.replace("{tag: POINTWISE, mode: EXP, inputs: {IN_0: x}, outputs: {OUT_0: y}}", node)
        suite = self.plant("s.yaml", graph.replace("y: {}", "y: {data_type: HALF}"))
        done = self.plumbline("list", suite, "--compile")
        self.expect(2, done, "data types must match for transpose")

    def test_shapes_that_do_not_fit_are_the_workers_to_say(self):
        graph = GRAPH.replace("y: {}", "y: {dim: [1, 8, 4], stride: [32, 4, 1]}")
        words = "operation 0 (POINTWISE): it writes OUT_0 [1, 8, 8], and the tensor 'y' has the dimensions [1, 8, 4]"
        suite = self.plant("s.yaml", graph)
        self.expect(0, self.plumbline("list", suite, "--device", "cpu"))
        self.expect(2, self.plumbline("list", suite, "--compile"), words)
        [(status, reason)] = self.only(graph).values()
        self.assertEqual((status, reason), ("CRASHED", words))

    def test_cudnn_itself_makes_the_operations_without_a_gpu(self):
        node = "{tag: MATMUL, name: scores, inputs: {A: x, B: w}, outputs: {C: y}}"
        graph = GRAPH.replace("{tag: POINTWISE, mode: EXP, inputs: {IN_0: x}, outputs: {OUT_0: y}}", node)
        suite = self.plant("s.yaml", graph.replace("y: {}", "w: {dim: [1, 9, 8], stride: [72, 8, 1]}, y: {}"))
        words = "operation 0 (MATMUL 'scores'): A [1, 8, 8], B [1, 9, 8], C [1, 8, 8]"
        self.expect(2, self.plumbline("list", suite, "--compile"), "CUDNN_STATUS_BAD_PARAM; " + words)

    def test_which_cudnn_was_loaded_is_recorded_and_shown(self):
        self.only(GRAPH)
        with (self.folder / "run" / "run.json").open() as file:
            environment = json.load(file)["environment"]
        library = pathlib.Path(environment["cudnn_library"])
        self.assertTrue(library.is_file(), library)
        self.assertEqual(library, library.resolve())
        self.assertTrue(library.name.startswith("libcudnn.so."), library)
        done = self.plumbline("doctor", "--device", "cpu")
        self.assertIn(f"cuDNN is {library}", done.stdout + done.stderr)

    def test_a_forced_tf32_is_recorded(self):
        run = self.folder / "run"
        self.plumbline(
            "run", self.plant("s.yaml", GRAPH), "--device", "cpu", "-o", run, "--rounds", "1", NVIDIA_TF32_OVERRIDE="1"
        )
        with (run / "run.json").open() as file:
            self.assertIn("NVIDIA_TF32_OVERRIDE=1", json.load(file)["environment"]["numerics"])


if __name__ == "__main__":
    planted.main()
