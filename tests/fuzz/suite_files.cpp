#include <array>
#include <sstream>

#include "core/error.h"
#include "fuzz/targets.h"
#include "ops/catalogue.h"
#include "suite/inputs/tensor_file.h"
#include "suite/suite.h"

namespace plumbline::fuzz {
namespace {

/// The cases of a suite in that folder.
void expand(const std::string& folder, const std::string& text, const SuiteOptions& options = {}) {
  static const Catalogue kAll = make_catalogue();
  load_suite(written(folder, "suite.yaml", text), kAll, options);
}

/// A graph in cudnn-frontend's JSON.
void read_graph_file(std::string_view input, const std::string& folder) {
  written(folder, "g.json", input);
  expand(folder,
         "suite: s\nbenchmarks:\n  - {op: cudnn.graph, name: g, graph: g.json, backend: cudnn, "
         "sweep: {dtype: [float32, float16, float8_e4m3fn]}}\n");
}

/// Two files of shapes: the suite names a.yaml, which may name b.yaml.
void read_shapes(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  written(folder, "a.yaml", files[0]);
  written(folder, "b.yaml", files[1]);
  expand(folder,
         "suite: s\nshapes: {from: a.yaml}\nbenchmarks:\n"
         "  - {op: softmax, sweep: {shape: [$x], dtype: float32}, backend: libtorch}\n");
}

/// What Triton writes beside its code.
void read_metadata(std::string_view input, const std::string& folder) {
  written(folder, "k.ptx", "x");
  written(folder, "k.json", input);
  expand(folder,
         "suite: s\nbenchmarks:\n  - op: kernel\n    name: k\n    source: k.ptx\n"
         "    metadata: k.json\n    launch: {grid: n, block: \"32 * metadata.num_warps\", "
         "shared: metadata.shared}\n    args: {x: \"randn[n]\", y: {output: [n]}}\n"
         "    sweep: {n: 8, dtype: float32}\n");
}

/// A suite as `capture` writes it, and the file of its tensors.
void read_recorded(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  tensors_in_file(written(folder, "i", files[1]));
  expand(folder, files[0]);
}

/// The operators that a worker lists, a line each, and a suite that calls them.
void read_operators(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  SuiteOptions options;
  std::istringstream lines(files[0]);
  for (std::string line; std::getline(lines, line);) add_schema(line, options.schemas);
  expand(folder, files[1], options);
}

}  // namespace

std::span<const Target> suite_file_targets() {
  static constexpr std::array kTargets = {
      Target{"graph", read_graph_file, {Grammar::json}},
      Target{"shapes", read_shapes, {Grammar::yaml, Grammar::yaml}},
      Target{"metadata", read_metadata, {Grammar::json}},
      Target{"recorded", read_recorded, {Grammar::yaml, Grammar::bytes}},
      Target{"operators", read_operators, {Grammar::bytes, Grammar::yaml}}};
  return kTargets;
}

}  // namespace plumbline::fuzz
