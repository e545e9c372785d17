#include "backends/cudnn/cudnn.h"

#include <ATen/core/grad_mode.h>
#include <ATen/cudnn/Handle.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "backends/cudnn/graph/frontend.h"
#include "backends/cudnn/graph/plan.h"
#include "core/op/library_settings.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

using cuda::check;
using cudnn::FrontendGraph;
using cudnn::Graph;

/// A graph with its plan, for the memory of every placement.
struct Planned {
  explicit Planned(const std::string& text) : graph(text) {}
  FrontendGraph graph;
  std::int64_t plan = 0;
};

at::Tensor workspace_for(std::int64_t bytes) {
  return at::empty({std::max<std::int64_t>(bytes, 1)},
                   at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
}

cudnn::Memory memory_of(const Graph& graph) {
  cudnn::Memory memory;
  for (const auto& [uid, tensor] : graph.memory()) memory[uid] = tensor.data_ptr();
  return memory;
}

/// LibTorch's handle, set to its current stream.
void execute(const FrontendGraph& graph, std::int64_t plan, std::vector<void*>& pointers,
             const at::Tensor& workspace) {
  graph.execute(at::native::getCudnnHandle(), plan, pointers, workspace.data_ptr());
}

class EventPair {
 public:
  EventPair() {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~EventPair() {
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  double seconds_of(const Launch& launch) {
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    check(cudaEventRecord(begin_, stream), "cudaEventRecord");
    launch();
    check(cudaEventRecord(end_, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// The shortest of several launches. Ends at the first launch that is less than 5 % faster than the
/// best before. This is the rule of cudnn-frontend, whose autotune() does not tell which plan won.
/// Infinite if the plan fails or needs more workspace than there is.
double seconds_of_plan(FrontendGraph& graph, std::int64_t plan, const cudnn::Memory& memory) {
  constexpr int kLaunchesMax = 100;
  constexpr double kFaster = 0.95;
  double least_s = std::numeric_limits<double>::infinity();
  try {
    const at::Tensor workspace = workspace_for(graph.workspace_bytes(plan));
    std::vector<void*> pointers = graph.arranged(memory);
    const Launch launch = [&] { execute(graph, plan, pointers, workspace); };
    launch();  // loads the code
    EventPair events;
    for (int i = 0; i < kLaunchesMax; ++i) {
      const double seconds = events.seconds_of(launch);
      const bool is_faster = seconds < kFaster * least_s;
      least_s = std::min(least_s, seconds);
      if (!is_faster) break;
    }
  } catch (const c10::OutOfMemoryError&) {
    return std::numeric_limits<double>::infinity();
  } catch (const DeviceError&) {
    throw;
  } catch (const std::runtime_error&) {  // from cuDNN: another plan may work
    return std::numeric_limits<double>::infinity();
  }
  return least_s;
}

std::shared_ptr<Planned> planned(const Graph& graph, const PlanChoice& choice,
                                 const cudnn::Constraints& constraints) {
  auto planned = std::make_shared<Planned>(graph.text());
  FrontendGraph& built = planned->graph;
  built.find_plans(at::native::getCudnnHandle(), constraints);
  const cudnn::Memory memory = memory_of(graph);
  planned->plan = cudnn::choose_plan(
      choice, {.count = built.plan_count(),
               .build = [&](std::int64_t plan) { return built.build_plan(plan); },
               .seconds = [&](std::int64_t plan) { return seconds_of_plan(built, plan, memory); }});
  return planned;
}

/// "eng62_k2=7" is engine 62.
cudnn::Json record_of(const FrontendGraph& graph, std::int64_t plan) {
  constexpr std::string_view kPrefix = "eng";
  const std::string name = graph.plan_name(plan);
  cudnn::Json record{{"graph", graph.name()},
                     {"plan", name},
                     {"index", plan},
                     {"candidates", graph.plan_count()},
                     {"workspace", graph.workspace_bytes(plan)}};
  int engine = 0;
  if (name.starts_with(kPrefix) &&
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), engine).ec ==
          std::errc())
    record["engine"] = engine;
  return record;
}

cudnn::Constraints constraints_of(const Params& params) {
  const LibrarySettings settings = library_settings(params);
  return {.allows_tf32 = settings.tf32, .is_deterministic = settings.deterministic};
}

/// A program's graphs in order, each with its plan, bound to memory.
class Steps {
 public:
  Steps(const std::vector<Graph>& graphs, const std::vector<std::shared_ptr<Planned>>& plans)
      : plans_(plans) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      pointers_.push_back(plans[i]->graph.arranged(memory_of(graphs[i])));
      bytes = std::max(bytes, plans[i]->graph.workspace_bytes(plans[i]->plan));
    }
    workspace_ = workspace_for(bytes);
  }

  void run() {
    for (std::size_t i = 0; i < plans_.size(); ++i)
      execute(plans_[i]->graph, plans_[i]->plan, pointers_[i], workspace_);
  }

  std::string record() const {
    cudnn::Json records = cudnn::Json::array();
    for (const auto& planned : plans_) records.push_back(record_of(planned->graph, planned->plan));
    return records.dump();
  }

 private:
  std::vector<std::shared_ptr<Planned>> plans_;
  std::vector<std::vector<void*>> pointers_;
  at::Tensor workspace_;
};

/// Finds mistakes in a description even without a GPU.
void validate(const CudnnProgram& program) {
  constexpr int kHopper = 90;
  for (const auto& graphs : {program.before, program.launch})
    for (const Graph& graph : graphs) FrontendGraph(graph.text(), kHopper);
}

}  // namespace

/// By case and graph. The next case replaces all entries.
struct CudnnImplementation::Built {
  std::map<std::string, std::shared_ptr<Planned>> plans;
};

CudnnImplementation::CudnnImplementation(Describe describe)
    : describe_(describe), built_(std::make_shared<Built>()) {}

Prepared CudnnImplementation::operator()(const Problem& problem, const Operands& operands) const {
  const at::NoGradGuard no_grad;
  const auto program = std::make_shared<CudnnProgram>(describe_(problem, operands));
  if (!operands.inputs.front().is_cuda()) {
    validate(*program);
    throw Unsupported("cuDNN computes on NVIDIA GPUs only; --device cuda has one");
  }
  const Params& params = problem.subject().params;
  Built used;
  const auto plans_of = [&](const std::vector<Graph>& graphs, const PlanChoice& choice) {
    std::vector<std::shared_ptr<Planned>> plans;
    for (const Graph& graph : graphs) {
      const std::string key = problem.subject().id + '\n' + graph.text();
      const auto known = built_->plans.find(key);
      plans.push_back(known != built_->plans.end()
                          ? known->second
                          : planned(graph, choice, constraints_of(params)));
      used.plans[key] = plans.back();
    }
    return plans;
  };
  Steps(program->before, plans_of(program->before, {})).run();
  const auto steps =
      std::make_shared<Steps>(program->launch, plans_of(program->launch, plan_choice(params)));
  *built_ = std::move(used);
  return {.launch = [steps, program] { steps->run(); },
          .results = [program] { return program->results; },
          .clear = [] {},
          .plan = steps->record()};
}

}  // namespace plumbline
