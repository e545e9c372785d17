/// The parameters that an op takes, and the check of a value against them.
///
/// Ops of the catalogue know all of theirs. Operators of the dispatcher know the common ones and
/// take any other name: it feeds the expressions of their declaration.
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
  /// `spec` is null for what a suite declares, which takes `settings` of the library; both must
  /// outlive this.
  OpParams(std::string op, const OpSpec* spec, const std::vector<ParamSpec>& settings);

  const std::string& op() const { return op_; }
  const OpSpec* spec() const { return spec_; }
  bool takes_any() const { return spec_ == nullptr; }
  const std::vector<const ParamSpec*>& all() const { return params_; }

  /// The parameter of that name, or nullptr.
  const ParamSpec* find(std::string_view name) const;

  /// Parameters `name.…` exist: `stream` of `stream.count`.
  bool is_group(std::string_view name) const;

  std::vector<std::string> names() const;

  /// Fails at `at` unless a parameter of that name may be set.
  void check_name(const std::string& name, const YamlPlace& at) const;

  /// The value in the parameter's kind (1e3 is the integer 1000 where one is wanted), or Error
  /// with the place. The parameter's name has been checked.
  Value checked(const std::string& name, const YamlNode& node) const;

 private:
  void check_dtype(const std::string& dtype, const YamlPlace& at) const;

  std::string op_;
  const OpSpec* spec_;
  std::vector<const ParamSpec*> params_;
};

/// The value in the kind of `param`, within its bounds and among its allowed texts, or Error with
/// the place; `what` names the parameter, and is asked only where it is needed.
Value checked_value(const ParamSpec& param, const YamlNode& node,
                    const std::function<std::string()>& what);

/// "an integer", "a text (low, normal, high)", …: what a parameter takes, in words.
std::string kind_in_words(const ParamSpec& param);

}  // namespace plumbline
