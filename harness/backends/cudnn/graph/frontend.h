/// A small interface to cudnn-frontend's graphs. Its headers take half a minute to compile, so only
/// frontend.cpp includes them.
///
/// Knows no op, no case, no LibTorch. https://github.com/NVIDIA/cudnn-frontend, version in
/// scripts/requirements.txt; cuDNN itself comes with LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct cudnnContext;

namespace plumbline::cudnn {

class OpenGraph;  // open_graph.h

/// A tensor in memory that a graph reads or writes.
struct GraphOperand {
  std::string name;
  std::string data_type;  // as cudnn-frontend names it: HALF, FLOAT, …
  std::vector<std::int64_t> dims, strides;
  std::int64_t uid = 0;
  bool is_written = false;
};

/// What a plan may do.
struct Constraints {
  bool allows_tf32 = false;       // round float32 operands of products to TF32
  bool is_deterministic = false;  // must give the same bits every time
};

/// Memory of a graph's operands by their uid.
using Memory = std::map<std::int64_t, void*>;

/// Version of the loaded library: "9.19.0".
std::string version();

class FrontendGraph {
 public:
  /// Reads a graph (format: backends/cudnn/graph/graph.h) and lets cudnn-frontend validate it.
  /// Needs no GPU if the compute capability is given (90: Hopper); 0 asks the current device.
  /// Throws Error with the operation's name for: invalid JSON; unknown operations, ports,
  /// attributes, values and tensors; ports without a tensor; ranks and shapes that cudnn-frontend
  /// refuses or does not check (graph_shapes.h). Throws Unsupported if cudnn-frontend knows that
  /// cuDNN cannot do it.
  explicit FrontendGraph(const std::string& text, int compute_capability = 0);
  ~FrontendGraph();

  /// The operands of a new graph. cuDNN itself makes each operation, which needs no GPU. Throws as
  /// the constructor does, and Error if cuDNN finds that the shapes of an operation contradict each
  /// other.
  static std::vector<GraphOperand> checked_operands(const std::string& text,
                                                    int compute_capability = 0);

  FrontendGraph(const FrontendGraph&) = delete;
  FrontendGraph& operator=(const FrontendGraph&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<GraphOperand>& operands() const { return operands_; }

  /// Asks cuDNN's heuristics for plans, best first. Plans that `constraints` refuse stay in the
  /// list but cannot be built. Throws Unsupported with the call that failed and cuDNN's reason.
  /// `device`: cuDNN's JSON of device properties, to ask for a device that is not present; "": the
  /// handle's device.
  void find_plans(cudnnContext* handle, const Constraints& constraints,
                  const std::string& device = "");
  std::int64_t plan_count() const;
  /// Returns the reason if the plan cannot be built, "" if it is built.
  std::string build_plan(std::int64_t index);
  std::string plan_name(std::int64_t index) const;  // "eng62_k2=7": engine and knobs
  std::int64_t workspace_bytes(std::int64_t index) const;

  /// The memory in the order that execute() takes; call it after a plan is built.
  std::vector<void*> arranged(const Memory& memory) const;
  /// Enqueues a built plan on the handle's stream; allocates nothing on the device. Throws
  /// std::runtime_error.
  void execute(cudnnContext* handle, std::int64_t plan, std::vector<void*>& pointers,
               void* workspace) const;

 private:
  std::string refused() const;

  std::unique_ptr<OpenGraph> graph_;
  std::string name_;
  std::vector<GraphOperand> operands_;
  Constraints constraints_;
  bool multiplies_float32_ = false;
  bool multiplies_matrices_ = false;
  std::int64_t free_uid_ = 0;  // no tensor has this uid or a higher one
};

}  // namespace plumbline::cudnn
