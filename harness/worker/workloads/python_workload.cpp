#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "backends/code_files.h"
#include "backends/libtorch/applied_settings.h"
#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "core/op/serving.h"
#include "core/op/techniques.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/python_call.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;
using Role = Argument::Role;

/// `op: python` of a suite: a function of a source in Python, called with the arguments by name.
class PythonWorkload : public DeclaredProblem {
 public:
  PythonWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed,
                 const char* how, Json opening)
      : DeclaredProblem(subject, device, is_cuda, seed), code_(*subject.declaration->python) {
    opening["source"] = code_.source;
    opening["function"] = code_.function;
    opened_ = ask_python(how, std::move(opening));
    function_ = opened_.at("function").get<int>();
  }

  PythonWorkload(const PythonWorkload&) = delete;
  PythonWorkload& operator=(const PythonWorkload&) = delete;
  ~PythonWorkload() override { close_in_python(function_); }

  void make_inputs() override { make_values(); }
  void drop_inputs() override { drop_values(); }

  Tensors inputs() const override {
    Stack given;
    for (const auto& [name, value] : values()) given.push_back(value);
    return tensors_in(given);
  }

  Tensors reference() override {
    if (has_declared_reference()) return declared_reference();
    if (code_.reference_function.empty()) throw NoReference("the suite declares no reference");
    return expected_of("reference",
                       {{"source", code_.source}, {"function", code_.reference_function}});
  }
  std::string reference_in_words() const override {
    return code_.reference_function.empty() ? DeclaredProblem::reference_in_words()
                                            : "the suite's " + code_.reference_function + "()";
  }

  Prepared prepare() override {
    const Implementation plain = [this](const Problem&, const Operands&) { return bound(); };
    return with_library_settings(plain, !is_mutating())(Problem(subject()), {});
  }

  /// Only the function defines the type of its results.
  bool may_be_narrower() const override { return false; }
  bool may_return_inputs() const override { return has(Role::inout); }
  bool is_mutating() const override { return has(Role::inout); }

  double compile_s() const override { return compile_s_; }

  std::vector<FileRef> files() const override {
    const Json answer = ask_python("files", {{"source", code_.source}});
    std::vector<FileRef> files;
    for (const Json& path : answer.at("files")) files.push_back(file_ref(path.get<std::string>()));
    return files;
  }

 protected:
  /// The answer of opening: `function` is its number.
  const Json& opened() const { return opened_; }
  /// The number of the call that was bound last, 0 before the first.
  int last_call() const { return last_call_; }
  /// What Python counted when it was first asked to bind; NaN before, and if it does not know.
  double counted_flops() const { return counted_flops_; }

  /// Python's answer to the request `what` about the arguments in float64, in float64.
  Tensors expected_of(const char* what, Json request) const {
    Stack exact_values;  // must live until Python has called
    request["arguments"] = Json::object();
    for (const auto& [name, value] : values()) {
      exact_values.push_back(map_tensors({value}, exact).front());
      request["arguments"][name] = json_for_python(exact_values.back());
    }
    Tensors expected = tensors_at(ask_python(what, std::move(request)).at("results"));
    for (at::Tensor& tensor : expected)
      if (at::isFloatingType(tensor.scalar_type())) tensor = exact(tensor);
    return expected;
  }

  bool copies_inputs() const override {
    return has_declared_reference() || !code_.reference_function.empty();
  }

 private:
  bool has(Role role) const {
    return std::ranges::any_of(subject().declaration->args,
                               [role](const Argument& argument) { return argument.role == role; });
  }

  at::Tensor empty_tensor(const Argument& argument) const {
    const Params& params = subject().params;
    const auto options = at::TensorOptions()
                             .dtype(scalar_type(dtype_of_output(argument, params)))
                             .device(is_cuda() ? at::kCUDA : at::kCPU);
    return at::empty(shape_of(*parse_expression(argument.expression), params), options);
  }

  /// The first time, Python calls the function once on copies: compilation and tuning are then done
  /// before any check.
  Prepared bound() {
    Json arguments = Json::object();
    Json written = Json::array();  // names of what the function writes, in order
    Tensors made;                  // must live until Python has bound them
    for (const Argument& argument : subject().declaration->args) {
      const bool is_given = argument.role == Role::input || argument.role == Role::inout;
      if (!is_given) made.push_back(empty_tensor(argument));
      arguments[argument.name] =
          json_for_python(is_given ? values().at(argument.name) : at::IValue(made.back()));
      if (argument.role == Role::output || argument.role == Role::inout)
        written.push_back(argument.name);
    }
    const Json answer = ask_python("bind", {{"function", opened_.at("function")},
                                            {"arguments", arguments},
                                            {"written", written},
                                            {"rehearse", !is_rehearsed_},
                                            {"counts", std::isnan(flops())}});
    if (!is_rehearsed_) compile_s_ = answer.at("rehearsal_s").get<double>();
    if (answer.at("flops").is_number()) counted_flops_ = answer.at("flops").get<double>();
    is_rehearsed_ = true;
    last_call_ = answer.at("call").get<int>();
    const auto call = std::make_shared<PythonCall>(last_call_);
    return {.launch = [call] { call->launch(); },
            .results = [call] { return call->results(); },
            .clear = [call] { call->clear(); },
            .plan = answer.at("plan").get<std::string>(),
            .result_handles = 2,
            .keeps_no_values = answer.at("keeps_no_values").get<bool>()};
  }

  const PythonCode& code_;
  Json opened_;
  int function_ = 0, last_call_ = 0;
  bool is_rehearsed_ = false;
  double compile_s_ = kUnknown, counted_flops_ = kUnknown;
};

/// By name, what the factory of a network gets.
Json evaluated(const NamedExpressions& with, const Params& params) {
  Json values = Json::object();
  for (const auto& [name, expression] : with)
    std::visit([&](const auto& value) { values[name] = value; }, evaluate(expression, params));
  return values;
}

Json opening_of(const Case& subject, bool is_cuda) {
  const ModuleCode& module = *subject.declaration->python->module;
  Json settings = Json::object();
  for (const ParamSpec& param : technique_params())
    std::visit([&](const auto& value) { settings[param.name] = value; },
               subject.params.at(param.name));
  return {{"factory_arguments", evaluated(module.with, subject.params)},
          {"loss", module.loss},
          {"accuracy", module.accuracy},
          {"settings", settings},
          {"dtype", std::get<std::string>(subject.params.at("dtype"))},
          {"device", is_cuda ? "cuda" : "cpu"}};
}

/// The share by which the step's types round. Sums of float32 lose two more bits. For quantised
/// layers, whose rounding is not that of a type, it is the bound of the results.
double rounding_of_step(const Params& params, double bound) {
  const auto word = [&](const char* name) { return std::get<std::string>(params.at(name)); };
  if (word("quantize") != "none") return bound;
  const std::map<std::string, double> shares{{"float64", 0x1p-51},
                                             {"float32", 0x1p-22},
                                             {"tf32", 0x1p-11},
                                             {"float16", 0x1p-11},
                                             {"bfloat16", 0x1p-8}};
  const double own = shares.at(word("dtype"));
  return word("precision") == "float32" ? own : std::max(own, shares.at(word("precision")));
}

/// `op: module` of a suite: a network. Inference gives its outputs, a training step the loss and
/// all gradients. The same network in float64 without techniques is the reference.
class ModuleWorkload final : public PythonWorkload {
 public:
  ModuleWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : PythonWorkload(subject, device, is_cuda, seed, "open_module",
                       opening_of(subject, is_cuda)) {}

  Tensors reference() override {
    if (has_declared_reference()) return declared_reference();
    return expected_of("module_reference", {{"function", opened().at("function")}});
  }
  std::string reference_in_words() const override { return "the same network in float64"; }

  /// Python knows how errors of layers add up. Single elements of gradients are far off where many
  /// large terms cancel.
  Bounds bounds(const Tensors&, at::ScalarType) const override {
    constexpr double kElementFactor = 64;
    const auto& given = subject().declaration->tolerance;
    const double all = given ? *given : opened().at("bound").get<double>();
    return {all, kElementFactor * all};
  }

  double rounding(const Tensors&) const override {
    return rounding_of_step(subject().params, opened().at("bound").get<double>());
  }
  bool has_operators_of_reference() const override { return true; }

  /// Those that the suite declares, else those of the network's products.
  double flops() const override {
    const double declared = PythonWorkload::flops();
    return std::isnan(declared) ? counted_flops() : declared;
  }

  bool has_phases() const override { return opened().at("has_phases").get<bool>(); }
  std::vector<std::pair<std::string, std::vector<double>>> phases_of(
      const std::function<void()>& launches) override {
    ask_python("watch_phases", {{"function", opened().at("function")}});
    launches();
    const Json answer = ask_python("watched_phases", {{"function", opened().at("function")}});
    return answer.at("phases").get<std::vector<std::pair<std::string, std::vector<double>>>>();
  }

  /// Long steps cannot be held. All techniques have this time, so that they can be compared. A held
  /// rank would be the last one, which never waits.
  HostTimed host_timed() const override {
    return opened().at("may_be_held").get<bool>() ? HostTimed::also : HostTimed::alone;
  }

  /// Other ranks compute only the steps that they are told of.
  std::string uncapturable() const override {
    return host_timed() == HostTimed::alone ? "a step waits for other processes or for the host"
                                            : "";
  }

  std::string keeps_memory() const override {
    return std::get<bool>(subject().params.at("graph"))
               ? "a CUDA graph keeps its memory between launches"
               : "";
  }

  /// A training step serves nobody.
  std::optional<Serving> serving() const override {
    const ModuleCode& module = *subject().declaration->python->module;
    if (module.serve.empty() || std::get<std::string>(subject().params.at("step")) == "training")
      return {};
    return serving_of(module.serve, subject().params);
  }

  std::vector<std::string> flags() override {
    auto flags = ask_python("flags", {{"function", opened().at("function")}})
                     .at("flags")
                     .get<std::vector<std::string>>();
    std::ranges::copy(DeclaredProblem::flags(), std::back_inserter(flags));
    return flags;
  }

  bool has_training() const override {
    return !subject().declaration->python->module->accuracy.empty();
  }
  Training train(std::int64_t seed) override {
    const Json answer =
        ask_python("train", {{"function", opened().at("function")}, {"seed", seed}});
    return {answer.at("accuracy").get<double>(), answer.at("losses").get<std::vector<double>>()};
  }
};

}  // namespace

std::unique_ptr<Workload> python_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed) {
  if (subject.declaration->python->module)
    return std::make_unique<ModuleWorkload>(subject, device, is_cuda, seed);
  return std::make_unique<PythonWorkload>(subject, device, is_cuda, seed, "open", Json::object());
}

}  // namespace plumbline
