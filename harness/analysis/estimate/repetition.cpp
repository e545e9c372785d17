#include "analysis/estimate/repetition.h"

#include "analysis/estimate/estimate.h"

namespace plumbline {

Repetition repetition_of(const ResultRow& row) {
  std::string label = row.status == Status::ok ? "" : no_repetitions(row.status, row.reason);
  for (const std::string& flag : row.flags) label += (label.empty() ? "" : "; ") + flag;
  return {visit_value(row).mean, row.flops, row.bytes, std::move(label)};
}

std::string no_repetitions(Status status, const std::string& reason) {
  return std::string(name_of(status)) + ": " + reason;
}

}  // namespace plumbline
