/// The parameters that an op takes, and checks of values against them.
///
/// Ops of the catalogue declare all their parameters. Other ops have the common ones and take any
/// other name, for use in the expressions of their declaration.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/op_spec.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

class OpParams {
 public:
  /// `spec`: null for ops that a suite declares; these take the library's `settings`. Both must
  /// outlive this object.
  OpParams(std::string op, const OpSpec* spec, const std::vector<ParamSpec>& settings);

  const std::string& op() const { return op_; }
  const OpSpec* spec() const { return spec_; }
  bool takes_any() const { return spec_ == nullptr; }
  const std::vector<const ParamSpec*>& all() const { return params_; }

  /// The parameter of that name, or nullptr.
  const ParamSpec* find(std::string_view name) const;

  /// Whether parameters `name.…` exist, as `stream` for `stream.count`.
  bool is_group(std::string_view name) const;

  std::vector<std::string> names() const;

  /// Throws Error at `at` unless a parameter of that name may be set.
  void check_name(const std::string& name, const YamlPlace& at) const;

  /// The value converted to the parameter's kind (1e3 to the integer 1000). Throws Error with the
  /// place. The parameter's name must be checked before.
  Value checked(const std::string& name, const YamlNode& node) const;

 private:
  void check_dtype(const std::string& dtype, const YamlPlace& at) const;

  std::string op_;
  const OpSpec* spec_;
  std::vector<const ParamSpec*> params_;
};

/// The value converted to the kind of `param`, within its bounds and allowed texts. Throws Error
/// with the place; `what` names the parameter and is called only for the message.
Value checked_value(const ParamSpec& param, const YamlNode& node,
                    const std::function<std::string()>& what);

/// "an integer", "a text (low, normal, high)", …: what a parameter takes, in words.
std::string kind_in_words(const ParamSpec& param);

}  // namespace plumbline
