/// Which cases of a sweep the backends do not support (core/op/op_limits.h): decided at once, or
/// when the device is known.
///
/// Knows limits and positions on axes; the expander does the rest.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/expression/expression.h"
#include "core/op/op_spec.h"
#include "suite/suite.h"
#include "suite/sweep/memo.h"

namespace plumbline {

class LimitRules {
 public:
  /// Creates a Memo over parameter names, like other questions of the sweep.
  using MakeMemo = std::function<Memo(const std::vector<std::string>& names)>;

  LimitRules() = default;
  LimitRules(const OpSpec& spec, const std::vector<std::string>& backends, const MakeMemo& memo);

  /// Why the case cannot run on any device; "" if it can on some. Limits of one kind of device are
  /// noted for `index`, the case's index in the suite.
  std::string refusal(std::size_t backend, const std::vector<std::size_t>& position,
                      const Lookup& look_up, std::size_t index);

  /// Notes that the case cannot run on devices of that kind.
  void note(const std::string& device_kind, const std::string& reason, std::size_t index);

  /// Moves the noted limits to `rules`.
  void move_to(std::vector<DeviceRule>& rules);

 private:
  struct Rule {
    ExpressionPtr condition;
    std::string reason;
    Memo on_cpu, on_cuda;
  };

  std::vector<std::vector<Rule>> rules_;                                          // by backend
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> kept_;  // kind, reason
};

}  // namespace plumbline
