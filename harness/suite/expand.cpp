#include <algorithm>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "core/op/batch_choice.h"
#include "core/op/input_data.h"
#include "core/op/library_settings.h"
#include "core/op/plan_choice.h"
#include "core/op/stream_setup.h"
#include "suite/benchmark.h"
#include "suite/declared/declared_values.h"
#include "suite/graph/graph_types.h"
#include "suite/limit_rules.h"
#include "suite/sweep/cost_rules.h"
#include "suite/sweep/memo.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

constexpr std::size_t kNoAxis = std::size_t(-1);

/// The backend of a declared op, and the reason why others are unsupported.
std::pair<std::string, std::string> backend_of(const Declaration& declaration) {
  if (!declaration.graph.empty()) return {"cudnn", "graphs of cuDNN's operations run on cudnn"};
  if (declaration.kernel || declaration.plugin || declaration.python || declaration.network)
    return {"custom", "kernels, plug-ins, functions in Python and networks are the backend custom"};
  return {"libtorch", "operators of the dispatcher run on libtorch"};
}

/// Walks through all combinations like an odometer; the backends are the last, fastest wheel.
class Expander {
 public:
  Expander(const Benchmark& benchmark, Suite& suite) : benchmark_(benchmark), suite_(suite) {
    for (const SweepAxis& axis : benchmark.axes) lengths_.push_back(axis.rows.size());
    lengths_.push_back(benchmark.backends.size());
    position_.assign(lengths_.size(), 0);
    check_count();
    prepare_params();
    prepare_backends();
    prepare_questions();
  }

  void expand() {
    if (suite_.cases.empty()) suite_.cases.reserve(count_);  // exactly, but not for each benchmark
    for (std::size_t i = 0; i < count_; ++i) {
      add_case();
      advance();
    }
    for (Rule& rule : rules_)
      if (!rule.pending.cases.empty()) suite_.device_rules.push_back(std::move(rule.pending));
    limits_.move_to(suite_.device_rules);
    for (ExpectationRule& rule : expected_)
      if (!rule.pending.cases.empty()) suite_.expectations.push_back(std::move(rule.pending));
  }

 private:
  struct Question {
    ExpressionPtr expression;
    Memo memo;
  };

  struct DeclaredValue {
    ValueCheck value;
    Memo memo;
  };

  struct Requirement {
    ExpressionPtr expression;
    const std::string& condition;
    const std::string& message;
    Memo memo;
  };

  struct Rule {
    const Exclusion& exclusion;
    Condition now;
    bool asks_device;
    Memo memo;
    DeviceRule pending;
  };

  struct ExpectationRule {
    const ExpectationEntry& entry;
    Condition now;
    Memo memo;
    Expectation pending;
  };

  void check_count() {
    double count = 1;
    std::string product;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const bool is_backend = i == benchmark_.axes.size();
      count *= double(lengths_[i]);
      product += (product.empty() ? "" : " × ") +
                 (is_backend ? "backend" : benchmark_.axes[i].name) + " (" +
                 std::to_string(lengths_[i]) + ")";
    }
    const double total = double(suite_.cases.size()) + count;
    if (total > double(kMostCases))
      fail_at(benchmark_.node->at,
              "found " + shortest_text(count) + " cases in this benchmark: " + product +
                  (suite_.cases.empty()
                       ? ""
                       : ", and " + std::to_string(suite_.cases.size()) + " before it") +
                  "; allowed: " + std::to_string(kMostCases) + " in a suite");
    count_ = static_cast<std::size_t>(count);
  }

  void prepare_params() {
    // Other defaults, of how a case is run, would be a dozen entries in each of 10^5 cases.
    for (const ParamSpec* param : benchmark_.params.all())
      if (param->fallback && is_problem_param(param->name) && param->name != data_param().name)
        params_[param->name] = *param->fallback;
    for (const SweepAxis& axis : benchmark_.axes) {
      auto& slots = slots_.emplace_back();
      for (const std::string& name : axis.params) slots.push_back(&params_[name]);
    }
    for (const auto& [name, value] : params_) {
      const ParamSpec* param = benchmark_.params.find(name);
      fallbacks_.push_back(param && param->fallback ? &*param->fallback : nullptr);
    }
    for (std::size_t axis = 0; axis < benchmark_.axes.size(); ++axis) set_params(axis);
  }

  void prepare_backends() {
    if (benchmark_.declaration && !benchmark_.declaration->graph.empty())
      graph_types_.emplace(benchmark_.declaration->graph);
    for (const std::string& backend : benchmark_.backends) {
      std::string& reason = unsupported_.emplace_back();
      if (benchmark_.declaration) {
        const auto [usual, why] = backend_of(*benchmark_.declaration);
        if (backend != usual)
          reason = "no " + backend + " implementation of " + benchmark_.params.op() + ": " + why;
      } else if (backend != kWorkerBackend &&
                 std::ranges::count(benchmark_.entry->backends, backend) == 0) {
        reason =
            "no " + backend + " implementation of " + benchmark_.params.op() + " in this build";
        const auto& there_are = benchmark_.entry->backends;
        if (std::ranges::count(there_are, "libtorch") == 0 && !there_are.empty())
          reason += "; available: " + there_are.front();
      }
    }
  }

  Question question(const std::string& condition) const {
    ExpressionPtr expression = parse_expression(condition);
    Memo memo = memo_of(names_in(*expression));
    return {std::move(expression), std::move(memo)};
  }

  void prepare_questions() {
    if (benchmark_.entry) {
      for (const auto& [condition, message] : benchmark_.entry->spec.requirements) {
        auto [expression, memo] = question(condition);
        requirements_.push_back({std::move(expression), condition, message, std::move(memo)});
      }
      costs_ =
          CostRules(benchmark_.entry->spec, [this](const auto& names) { return memo_of(names); });
      limits_ = LimitRules(benchmark_.entry->spec, benchmark_.backends,
                           [this](const auto& names) { return memo_of(names); });
      host_timed_ = question(benchmark_.entry->spec.host_timed);
      auto policy = std::make_shared<Policy>(*benchmark_.policy);
      policy->metrics.clear();  // wall_time is always measured
      host_policy_ = std::move(policy);
    }
    if (benchmark_.declaration)
      for (ValueCheck& value : value_checks(*benchmark_.node, *benchmark_.declaration,
                                            *benchmark_.schemas, *benchmark_.files)) {
        Memo memo = memo_of(value.names);
        values_.push_back({std::move(value), std::move(memo)});
      }
    for (const Exclusion& exclusion : benchmark_.exclusions) {
      SplitCondition parts = split(exclusion.condition);
      Memo memo = memo_of(names_in(parts.now));
      const bool asks_device = !is_empty(parts.later);
      rules_.push_back(
          {exclusion, std::move(parts.now), asks_device, std::move(memo),
           DeviceRule{std::move(parts.later), exclusion.excludes_if, exclusion.reason, {}, false}});
    }
    for (const ExpectationEntry& entry : benchmark_.expectations) {
      SplitCondition parts = split(entry.condition);
      Memo memo = memo_of(names_in(parts.now));
      const std::string at = entry.at.file->path + ":" + std::to_string(entry.at.line);
      expected_.push_back(
          {entry, std::move(parts.now), std::move(memo),
           Expectation{std::move(parts.later), entry.status, entry.reason, at, {}}});
    }
  }

  Memo memo_of(const std::vector<std::string>& names) const {
    std::vector<std::size_t> axes;
    for (const std::string& name : names) {
      const std::size_t axis = axis_of(name);
      if (axis != kNoAxis && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
    return Memo(std::move(axes), lengths_);
  }

  std::size_t axis_of(const std::string& name) const {
    if (name == "backend") return benchmark_.axes.size();
    for (std::size_t i = 0; i < benchmark_.axes.size(); ++i)
      if (std::ranges::find(benchmark_.axes[i].params, name) != benchmark_.axes[i].params.end())
        return i;
    return kNoAxis;
  }

  void set_params(std::size_t axis) {
    const SweepRow& row = benchmark_.axes[axis].rows[position_[axis]];
    for (std::size_t i = 0; i < row.values.size(); ++i) *slots_[axis][i] = row.values[i];
  }

  void advance() {
    for (std::size_t wheel = lengths_.size(); wheel-- > 0;) {
      const bool wraps = ++position_[wheel] == lengths_[wheel];
      if (wraps) position_[wheel] = 0;
      if (wheel < benchmark_.axes.size()) set_params(wheel);
      if (!wraps) return;
    }
  }

  std::optional<Value> look_up(std::string_view name) const {
    if (name == "backend") return benchmark_.backends[position_.back()];
    if (name == "op") return benchmark_.params.op();
    if (const auto found = params_.find(name); found != params_.end()) return found->second;
    const ParamSpec* param = benchmark_.params.find(name);
    return param ? param->fallback : std::nullopt;
  }

  void add_case() {
    Case c;
    c.suite = suite_.name;
    c.name = benchmark_.name;
    c.op = benchmark_.params.op();
    c.backend = benchmark_.backends[position_.back()];
    c.params = params_;
    c.id = case_id(c.name, c.backend, shown_params());
    if (!benchmark_.batch.empty()) c.params[kBatchParam] = benchmark_.batch;  // not in the id
    c.revision = benchmark_.revision;
    c.declaration = benchmark_.declaration;
    const bool is_on_host = is_host_timed();
    c.policy = is_on_host ? host_policy_ : benchmark_.policy;
    c.tags = benchmark_.tags;
    c.threshold = benchmark_.threshold;
    c.calls = benchmark_.calls;
    c.unsupported = refusal(c.backend, is_on_host);
    c.excluded = exclusion();
    if (c.excluded.empty()) {
      check_requirements();
      check_costs(c.id);
      check_values(c.id);
      if (benchmark_.files) benchmark_.files->add_to(c);
      note_expectations();
    }
    suite_.cases.push_back(std::move(c));
  }

  /// Why the case at position_ cannot run; limits of one kind of device are noted for later.
  std::string refusal(const std::string& backend, bool is_on_host) {
    const std::string axis = stream_axis_of(params_);
    if (is_on_host && !axis.empty())
      return axis + ": ops that are timed by the host's clock cannot use streams";
    std::string reason = unsupported_[position_.back()];
    if (reason.empty() && graph_types_)
      reason = graph_types_->refusal(*dtype_named(std::get<std::string>(params_.at("dtype"))));
    if (reason.empty()) reason = unmeasurable_stream(params_);
    if (reason.empty()) reason = unplannable(backend, params_);
    if (reason.empty()) reason = unsettable(backend, params_);
    if (!reason.empty()) return reason;
    const std::size_t index = suite_.cases.size();
    if (!axis.empty())
      limits_.note("cpu", axis + ": a CPU has no streams; --device cuda has", index);
    return limits_.refusal(
        position_.back(), position_, [this](std::string_view name) { return look_up(name); },
        index);
  }

  Params shown_params() const {
    Params shown;
    std::size_t i = 0;
    for (const auto& [name, value] : params_) {
      const Value* fallback = fallbacks_[i++];
      if (!fallback || !same_value(value, *fallback)) shown.emplace_hint(shown.end(), name, value);
    }
    return shown;
  }

  /// The reason of the first rule that excludes this case; rules that need the device note the
  /// case.
  std::string exclusion() {
    for (Rule& rule : rules_) {
      const bool is_met = rule.memo.ask(position_, [&] {
        return is_met_now(rule.now, rule.exclusion.condition, rule.exclusion.at);
      });
      if (is_met == rule.exclusion.excludes_if && !(is_met && rule.asks_device))
        return rule.exclusion.reason;
      if (is_met && rule.asks_device) rule.pending.cases.push_back(suite_.cases.size());
    }
    return "";
  }

  void note_expectations() {
    for (ExpectationRule& rule : expected_)
      if (rule.memo.ask(position_,
                        [&] { return is_met_now(rule.now, rule.entry.condition, rule.entry.at); }))
        rule.pending.cases.push_back(suite_.cases.size());
  }

  /// `now`: the part of the condition `whole` that does not depend on the device.
  bool is_met_now(const Condition& now, const Condition& whole, const YamlPlace& at) const {
    try {
      return holds(now, [this](std::string_view name) { return look_up(name); });
    } catch (const Error& error) {
      fail_in_expression(at, whole.text, error.what());
    }
  }

  bool is_host_timed() {
    return host_timed_ && host_timed_->memo.ask(position_, [this] {
      return std::get<bool>(evaluate(*host_timed_->expression,
                                     [this](std::string_view name) { return look_up(name); }));
    });
  }

  void check_requirements() {
    for (Requirement& requirement : requirements_)
      if (!requirement.memo.ask(position_, [&] { return is_fulfilled(requirement); }))
        fail_on(requirement);
  }

  void check_costs(const std::string& id) {
    const auto [what, axes] =
        costs_.trouble(position_, [this](std::string_view name) { return look_up(name); });
    if (!what.empty()) fail_at(place_of(axes), what + " (in the case " + id + ")");
  }

  void check_values(const std::string& id) {
    for (DeclaredValue& declared : values_) try {
        declared.memo.ask(position_, [&] {
          declared.value.check(params_);
          return true;
        });
      } catch (const Error& error) {
        throw Error(std::string(error.what()) + " (in the case " + id +
                    "; change the expression, or exclude the case)");
      }
  }

  bool is_fulfilled(const Requirement& requirement) const {
    try {
      return std::get<bool>(evaluate(*requirement.expression,
                                     [this](std::string_view name) { return look_up(name); }));
    } catch (const Error& error) {
      fail_at(benchmark_.node->at, "the requirement '" + requirement.condition + "' of " +
                                       benchmark_.params.op() + ": " + error.what());
    }
  }

  /// The place of the value of the first axis in `axes`, or of the benchmark.
  YamlPlace place_of(const std::vector<std::size_t>& axes) const {
    if (axes.empty()) return benchmark_.node->at;
    return benchmark_.axes[axes.front()].rows[position_[axes.front()]].at;
  }

  [[noreturn]] void fail_on(const Requirement& requirement) const {
    std::string values;
    for (const std::string& name : names_in(*requirement.expression))
      if (const auto value = look_up(name))
        values += (values.empty() ? "" : ", ") + name + " = " + to_text(*value);
    fail_at(place_of(requirement.memo.axes()), "found a case of " + benchmark_.params.op() +
                                                   " with " + values + ": " + requirement.message +
                                                   " (required: " + requirement.condition + ")");
  }

  const Benchmark& benchmark_;
  Suite& suite_;
  std::vector<std::size_t> lengths_, position_;  // by axis, then the backends
  std::size_t count_ = 0;
  Params params_;                           // those of the case at position_
  std::vector<std::vector<Value*>> slots_;  // axis -> addresses of its values in params_
  std::vector<const Value*> fallbacks_;     // in the order of params_; null: no default
  std::vector<std::string> unsupported_;    // by backend
  std::optional<GraphTypes> graph_types_;   // only for a cuDNN graph
  std::vector<Requirement> requirements_;
  CostRules costs_;
  std::vector<DeclaredValue> values_;
  LimitRules limits_;
  std::optional<Question> host_timed_;         // only for ops of the catalogue
  std::shared_ptr<const Policy> host_policy_;  // policy of host-timed cases
  std::vector<Rule> rules_;
  std::vector<ExpectationRule> expected_;
};

}  // namespace

void expand(const Benchmark& benchmark, Suite& suite) { Expander(benchmark, suite).expand(); }

}  // namespace plumbline
