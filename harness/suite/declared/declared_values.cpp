#include "suite/declared/declared_values.h"

#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "core/op/scalar_argument.h"
#include "core/op/serving.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

using Role = Argument::Role;
using Kind = Expression::Kind;

/// What is wrong with a value; "" if it is valid.
using Judge = std::function<std::string(const Value&)>;
/// Evaluates, and judges the value. Throws Error "column N: …" if there is no value.
using Evaluation = std::function<std::string(const Expression&, const Params&)>;

/// What a tensor expression may use besides parameters.
struct TensorNames {
  std::set<std::string> arguments;  // named tensors
  bool makes_new = true;            // generators are allowed
  const OperatorSchemas* schemas = nullptr;
  InputFiles* files = nullptr;
};

/// Checks the sizes of a tensor that an operator creates, like those of a generator.
void check_new_shape(const Expression& e, const Params& params) {
  if (e.kind == Kind::list) shape_of(e, params);
}

/// Evaluates as the worker does (backends/libtorch/tensor_expression.h), but creates no tensor.
void check_tensors(const Expression& e, const Params& params, const TensorNames& known) {
  const auto check = [&](const ExpressionPtr& part) { check_tensors(*part, params, known); };
  const auto check_all = [&](std::span<const ExpressionPtr> parts) {
    for (const ExpressionPtr& part : parts) check(part);
  };
  if (e.kind == Kind::none || (e.kind == Kind::name && known.arguments.contains(e.name))) return;
  if (e.kind == Kind::list) return check_all(e.operands);
  if (e.kind == Kind::conditional)
    return check(e.operands[evaluate_condition(*e.operands[0], params) ? 1 : 2]);
  if (e.kind == Kind::index && !known.makes_new)
    throw Error("column " + std::to_string(e.column) +
                ": new tensors can be declared in args only; name an argument");
  if (e.kind == Kind::call && e.operands[0]->name == "file")
    throw Error("column " + std::to_string(e.column) +
                ": found file(…) without a shape, expected file('x.safetensors', 'x')[rows, cols]");
  if (e.kind == Kind::index) {
    const GeneratedTensor tensor = generated_tensor(e, params);
    if (tensor.generator == Generator::file) known.files->find(e, tensor);
  } else if (is_operator_call(e)) {
    const std::string& op = e.operands[0]->name;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
      if (is_new_shape(op, i - 1, *known.schemas)) check_new_shape(*e.operands[i], params);
      check(e.operands[i]);
    }
    for (const auto& [keyword, value] : e.keywords) {
      if (is_new_shape(op, keyword, *known.schemas)) check_new_shape(*value, params);
      check(value);
    }
  } else {
    evaluate(e, params);
  }
}

Judge at_least(const std::string& what, std::int64_t least) {
  return [what, least](const Value& value) -> std::string {
    const auto* size = std::get_if<std::int64_t>(&value);
    if (size && *size >= least) return "";
    return "'" + what + "' is " + to_text(value) + "; it is an integer of at least " +
           std::to_string(least);
  };
}

Judge a_cost(const std::string& key) {
  return [key](const Value& value) -> std::string {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if ((integer && *integer >= 0) || (real && *real >= 0 && std::isfinite(*real))) return "";
    return "'" + key + "' is " + to_text(value) + "; a cost is 0 or more, and finite";
  };
}

Judge a_switch(const std::string& key) {
  return [key](const Value& value) -> std::string {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (std::holds_alternative<bool>(value) || (number && (*number == 0 || *number == 1)))
      return "";
    return "'" + key + "' is " + to_text(value) + "; it is 0 or 1";
  };
}

/// Of `serve`; serving_of() says what is allowed.
Judge served(const std::string& key) {
  return [key](const Value& value) -> std::string {
    NamedExpressions serve{{"requests", std::to_string(kFewestRequests)}};
    serve.emplace_back(key, to_text(value));
    if (key == "requests") serve.erase(serve.begin());
    try {
      serving_of(serve, {});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
}

/// `constants`: names with the same value in every case; they must outlive the evaluation.
Evaluation scalar(Judge judge = nullptr, const Params* constants = nullptr) {
  return [judge = std::move(judge), constants](const Expression& e, const Params& params) {
    const Value value = evaluate(e, [&](std::string_view name) -> std::optional<Value> {
      for (const Params* known : {&params, constants}) {
        if (known == nullptr) continue;
        if (const auto found = known->find(name); found != known->end()) return found->second;
      }
      return std::nullopt;
    });
    return judge ? judge(value) : "";
  };
}

Evaluation a_scalar(const Argument& argument) {
  return [argument](const Expression& e, const Params& params) {
    const std::string mistake =
        scalar_mistake(scalar_type_of(argument, params), evaluate(e, params));
    return mistake.empty() ? "" : "the argument '" + argument.name + "' " + mistake;
  };
}

Evaluation tensors(const TensorNames& known) {
  return [known](const Expression& e, const Params& params) {
    check_tensors(e, params, known);
    return std::string();
  };
}

std::string shape(const Expression& e, const Params& params) {
  shape_of(e, params);
  return "";
}

const YamlNode& node_of(const YamlNode& map, std::string_view key) {
  return *find_entry(map, key)->value;
}

/// The node with the expression of an argument.
const YamlNode& node_of(const YamlNode& args, const Argument& argument) {
  const YamlNode& node = node_of(args, argument.name);
  if (node.kind != YamlNode::Kind::map) return node;
  const bool has_own_type = argument.role == Role::scalar && !find_entry(node, kScalarKey);
  return node_of(node, has_own_type ? argument.type : name_of(argument.role));
}

class Checks {
 public:
  Checks(const YamlNode& benchmark, const OperatorSchemas& schemas, InputFiles& files)
      : benchmark_(benchmark), schemas_(schemas), files_(files) {}

  void add_kernel(const KernelCode& kernel) {
    const YamlNode& launch = node_of(benchmark_, "launch");
    for (const auto& [key, sizes] :
         {std::pair{"grid", &kernel.grid}, std::pair{"block", &kernel.block}})
      add_items(node_of(launch, key), *sizes, scalar(at_least(key, 1), &kernel.constants));
    if (!kernel.cluster.empty())
      add_items(node_of(launch, "cluster"), kernel.cluster,
                scalar(at_least("cluster", 1), &kernel.constants));
    for (const auto& [key, text] :
         {std::pair{"cooperative", &kernel.cooperative}, std::pair{"dependent", &kernel.dependent}})
      if (!text->empty())
        add(node_of(launch, key), *text, scalar(a_switch(key), &kernel.constants));
    if (!kernel.shared.empty())
      add(node_of(launch, "shared"), kernel.shared,
          scalar(at_least("shared", 0), &kernel.constants));
    if (!kernel.template_args.empty())
      add_items(node_of(benchmark_, "template"), kernel.template_args,
                scalar(nullptr, &kernel.constants));
    for (const auto& [name, text] : kernel.defines)
      add(node_of(node_of(benchmark_, "defines"), name), text, scalar(nullptr, &kernel.constants));
  }

  void add_network(const ModuleCode& module) {
    for (const auto& [key, text] : module.serve)
      add(node_of(node_of(benchmark_, "serve"), key), text, scalar(served(key)));
  }

  void add_arguments(const Declaration& declaration) {
    for (const Argument& argument : declaration.args)
      add(node_of(node_of(benchmark_, "args"), argument), argument.expression,
          evaluation_of(argument), type_parameter(argument));
    if (!declaration.plugin) return;
    for (const auto& [name, text] : declaration.plugin->params)
      add(node_of(node_of(benchmark_, "params"), name), text, scalar());
  }

  void add_result(const Declaration& declaration) {
    TensorNames known{{}, false, &schemas_, &files_};
    for (const Argument& argument : declaration.args) known.arguments.insert(argument.name);
    if (!declaration.reference.empty())
      add(node_of(benchmark_, "reference"), declaration.reference, tensors(known));
    for (const auto& [key, text] :
         {std::pair{"flops", &declaration.flops}, std::pair{"bytes", &declaration.bytes}})
      if (!text->empty())
        add(node_of(node_of(benchmark_, "cost"), key), *text, scalar(a_cost(key)));
  }

  std::vector<ValueCheck> made;

 private:
  /// The parameter that gives a scalar its type; the scalar's expression does not name it.
  static std::string type_parameter(const Argument& argument) {
    if (argument.role != Role::scalar || scalar_type_named(argument.type)) return "";
    return argument.type.empty() ? "dtype" : argument.type;
  }

  void add(const YamlNode& node, const std::string& text, Evaluation evaluation,
           const std::string& also_uses = "") {
    const ExpressionPtr expression = parse_expression(text);
    auto check = [at = node.at, text, expression,
                  evaluation = std::move(evaluation)](const Params& params) {
      std::string mistake;
      try {
        mistake = evaluation(*expression, params);
      } catch (const Error& error) {
        fail_in_expression(at, text, error.what());
      }
      if (!mistake.empty()) fail_at(at, mistake);
    };
    auto names = names_in(*expression);
    if (!also_uses.empty()) names.push_back(also_uses);
    made.push_back({std::move(names), std::move(check)});
  }

  /// `list`: a list of the expressions, or the only one.
  void add_items(const YamlNode& list, const std::vector<std::string>& texts,
                 const Evaluation& evaluation) {
    const bool is_list = list.kind == YamlNode::Kind::list;
    for (std::size_t i = 0; i < texts.size(); ++i)
      add(is_list ? *list.items[i] : list, texts[i], evaluation);
  }

  Evaluation evaluation_of(const Argument& argument) const {
    if (argument.role == Role::scalar) return a_scalar(argument);
    if (argument.role == Role::output || argument.role == Role::scratch) return shape;
    Evaluation as_tensors = tensors({{}, true, &schemas_, &files_});
    if (!is_new_shape(node_of(benchmark_, "op").text, argument.name, schemas_)) return as_tensors;
    return [as_tensors](const Expression& e, const Params& params) {
      check_new_shape(e, params);
      return as_tensors(e, params);
    };
  }

  const YamlNode& benchmark_;
  const OperatorSchemas& schemas_;
  InputFiles& files_;
};

}  // namespace

std::vector<ValueCheck> value_checks(const YamlNode& benchmark, const Declaration& declaration,
                                     const OperatorSchemas& schemas, InputFiles& files) {
  Checks checks(benchmark, schemas, files);
  if (declaration.kernel) checks.add_kernel(*declaration.kernel);
  if (declaration.python && declaration.python->module)
    checks.add_network(*declaration.python->module);
  checks.add_arguments(declaration);
  checks.add_result(declaration);
  return std::move(checks.made);
}

}  // namespace plumbline
