#include <ATen/ops/empty.h>

#include <algorithm>

#include "backends/code_files.h"
#include "backends/libtorch/applied_settings.h"
#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "backends/python/python.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;
using Role = Argument::Role;

/// JSON from which Python makes an argument: a number, text or list unchanged, a tensor as its
/// address.
Json to_json(const at::IValue& value) {
  if (value.isTensor()) return {{"tensor", address_of(value.toTensor())}};
  if (value.isNone()) return nullptr;
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isTuple() || value.isList()) {
    Json list = Json::array();
    if (value.isTuple())
      for (const at::IValue& item : value.toTupleRef().elements()) list.push_back(to_json(item));
    else
      for (const at::IValue& item : value.toListRef()) list.push_back(to_json(item));
    return list;
  }
  throw Error("a " + value.tagKind() + " cannot be given to Python");
}

Tensors tensors_of(const Json& addresses) {
  Tensors tensors;
  for (const Json& address : addresses) tensors.push_back(tensor_at(address.get<std::int64_t>()));
  return tensors;
}

/// A call that Python holds, bound to its arguments.
class PythonCall {
 public:
  explicit PythonCall(int number) : number_(number) {}
  ~PythonCall() { drop_in_python(number_); }
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  void launch() const { launch_in_python(number_); }
  void clear() const { clear_in_python(number_); }

  /// Results of the last launch. Those that Python's code keeps are held once more here, so that
  /// they do not count as held by the launch alone.
  Tensors results() {
    const Json answer = ask_python("results", {{"call", number_}});
    kept_ = tensors_of(answer.at("kept"));
    return tensors_of(answer.at("results"));
  }

 private:
  int number_;
  Tensors kept_;
};

/// `op: python` of a suite: a function of a source in Python, called with the arguments by name.
class PythonWorkload final : public DeclaredProblem {
 public:
  PythonWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : DeclaredProblem(subject, device, is_cuda, seed),
        is_cuda_(is_cuda),
        code_(*subject.declaration->python) {
    function_ =
        ask_python("open", {{"source", code_.source}, {"function", code_.function}}).at("function");
  }

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
    Stack exact_values;  // must live until Python has called
    Json arguments = Json::object();
    for (const auto& [name, value] : values()) {
      exact_values.push_back(map_tensors({value}, exact).front());
      arguments[name] = to_json(exact_values.back());
    }
    const Json answer = ask_python("reference", {{"source", code_.source},
                                                 {"function", code_.reference_function},
                                                 {"arguments", arguments}});
    Tensors expected = tensors_of(answer.at("results"));
    for (at::Tensor& tensor : expected)
      if (at::isFloatingType(tensor.scalar_type())) tensor = exact(tensor);
    return expected;
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
                             .device(is_cuda_ ? at::kCUDA : at::kCPU);
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
          to_json(is_given ? values().at(argument.name) : at::IValue(made.back()));
      if (argument.role == Role::output || argument.role == Role::inout)
        written.push_back(argument.name);
    }
    const Json answer = ask_python("bind", {{"function", function_},
                                            {"arguments", arguments},
                                            {"written", written},
                                            {"rehearse", !is_rehearsed_}});
    if (!is_rehearsed_) compile_s_ = answer.at("rehearsal_s").get<double>();
    is_rehearsed_ = true;
    const auto call = std::make_shared<PythonCall>(answer.at("call").get<int>());
    return {.launch = [call] { call->launch(); },
            .results = [call] { return call->results(); },
            .clear = [call] { call->clear(); },
            .plan = answer.at("plan").get<std::string>(),
            .result_handles = 2,
            .keeps_no_values = true};
  }

  bool is_cuda_;
  const PythonCode& code_;
  int function_ = 0;
  bool is_rehearsed_ = false;
  double compile_s_ = kUnknown;
};

}  // namespace

std::unique_ptr<Workload> python_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed) {
  return std::make_unique<PythonWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
