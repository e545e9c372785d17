#include "workflow/setup/request.h"

#include "core/error.h"

namespace plumbline {

SuiteOptions SuiteRequest::options() const {
  SuiteOptions options;
  for (const std::string& text : set) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("--set " + text + ": expected axis=value, as in --set dtype=float16");
    options.set.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  options.policy_overrides.assign(policy.begin(), policy.end());
  return options;
}

}  // namespace plumbline
