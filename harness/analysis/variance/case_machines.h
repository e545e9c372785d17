/// Which machine measured a case, in a run on several devices or merged from several nodes.
///
/// A row names its device; the run's record says what machine that is in. Knows names, but no
/// times.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "analysis/variance/other_device.h"
#include "core/run/run.h"

namespace plumbline {

class CaseMachines {
 public:
  explicit CaseMachines(const RunInfo& run);

  /// Whether the run has more than one device or node.
  bool are_several() const { return are_several_; }
  /// The run's environment as it was where the device is: its UUID, host, boot, kernel, driver.
  /// `device`: "" = the run's only one, or an unknown one of several. If nodes claim one UUID, the
  /// host names them all.
  const Environment& of(std::string_view device) const;

 private:
  Environment whole_, unnamed_;
  bool are_several_ = false;
  std::map<std::string, Environment, std::less<>> by_device_;
};

}  // namespace plumbline
