#include "analysis/confirm/equal_code.h"

#include <fmt/format.h>

#include "core/words.h"

namespace plumbline {

std::string equal_code_text(const Comparison& comparison, const std::set<CaseKey>& equal) {
  std::set<CaseKey> judged, called;
  for (const Finding& finding : comparison.findings) {
    const CaseKey key{finding.suite, finding.case_id};
    const bool is_of_gpu =
        finding.metric.starts_with("kernel_") || finding.metric.starts_with("gpu_time");
    if (!is_of_gpu || !finding.change || !equal.contains(key)) continue;
    judged.insert(key);
    if (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster)
      called.insert(key);
  }
  if (judged.empty()) return "";
  const Detection alarms{0, called.size(), judged.size()};
  return fmt::format(
      "Controls by machine code: {} of {} that ran the same machine code in the same launches on "
      "both sides {} called SLOWER or FASTER (rate below {:.2g} %).",
      called.size(), counted(judged.size(), "case"), called.size() == 1 ? "was" : "were",
      100 * alarms.bounds().high);
}

}  // namespace plumbline
