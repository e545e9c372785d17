#include "reports/exports/findings_text.h"

#include <fmt/format.h>

#include "reports/cause_text.h"
#include "reports/units.h"

namespace plumbline {

std::string numbers_of(const Finding& finding) {
  std::string text;
  if (finding.baseline || finding.candidate) {
    const QuantityPair pair =
        quantity_pair(finding.baseline, finding.candidate, finding.unit, std::nullopt);
    text = fmt::format("{} → {} {}", pair.before, pair.after, pair.unit);
  }
  if (finding.change)
    text += ", " + change_text(finding.change, finding.change_low, finding.change_high).whole();
  if (finding.pairs > 0) text += fmt::format(", {} pairs", finding.pairs);
  if (finding.rerun_visits > 0)
    text += fmt::format(", {} visits of a later run", finding.rerun_visits);
  return text;
}

std::string why_of(const Finding& finding) {
  if (finding.renamed_from.empty()) return finding.reason;
  return finding.reason + (finding.reason.empty() ? "" : "; ") + "renamed from " +
         finding.renamed_from;
}

std::string cause_of(const Comparison& comparison, const Finding& finding) {
  if (finding.cause == 0 || finding.cause > comparison.causes.size()) return "";
  return fmt::format("cause {}: {}", finding.cause,
                     cause_headline(comparison.causes[finding.cause - 1]));
}

}  // namespace plumbline
