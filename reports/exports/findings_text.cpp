#include "reports/exports/findings_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"
#include "reports/cause_text.h"
#include "reports/cells.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// Number of cases that miss a change of the margin more than one time in five; "" for none.
std::string blind_line(const Comparison& comparison) {
  const std::vector<const Finding*> blind = blind_cases(comparison);
  if (blind.empty()) return "";
  const std::size_t cases = census_of(comparison).cases();
  const auto curable = std::size_t(std::ranges::count_if(blind, [](const Finding* f) {
    return f->blind->rounds.has_value() || f->blind->blocks.has_value() ||
           f->blind->pairs.has_value();
  }));
  const std::string fixed = curable == 0 ? "longer measuring fixes none"
                            : curable == blind.size()
                                ? "longer measuring fixes all"
                                : fmt::format("longer measuring fixes {}", curable);
  return fmt::format("{} of {} would often miss {}; {}.", blind.size(), counted(cases, "case"),
                     blind_margins_text(comparison, blind),
                     blind.size() == 1 && curable == 1 ? "longer measuring fixes it" : fixed);
}

}  // namespace

QuantityPair times_of(const Finding& finding) {
  std::optional<double> half_width;
  if (finding.change_low && finding.change_high)
    half_width = (*finding.change_high - *finding.change_low) / 2;
  return quantity_pair(changed_from(finding), changed_to(finding), finding.unit, half_width);
}

std::string changes_of(const Finding& finding) {
  const ChangeText shown = change_text(finding.change, finding.change_low, finding.change_high);
  const ChangeText raw = change_text(change_before_shift(finding), {}, {});
  const bool is_other = !raw.change.empty() && raw.change != shown.change;
  return shown.whole() + (is_other ? ", " + raw.whole() + " raw" : "");
}

std::string unconfirmed_words(const Finding& finding) {
  return fmt::format("unconfirmed ({})", name_of(finding.verdict));
}

std::string blind_text(const BlindSpot& spot) {
  return fmt::format("changes below {} are often missed; remedy: {}", share_text(spot.detectable),
                     spot.cure);
}

std::vector<std::string> own_measure_lines(const Comparison& comparison) {
  std::vector<std::string> lines{
      blind_line(comparison), comparison.null_check ? null_check_text(*comparison.null_check) : "",
      comparison.self_check ? self_check_text(*comparison.self_check) : ""};
  std::erase(lines, "");
  return lines;
}

std::string numbers_of(const Finding& finding) {
  std::string text;
  if (finding.baseline || finding.candidate) {
    const QuantityPair pair = times_of(finding);
    text = fmt::format("{} → {} {}", pair.before, pair.after, pair.unit);
  }
  if (finding.change) text += ", " + changes_of(finding);
  if (is_of_time(finding.verdict)) return text;  // its reason says how it was confirmed
  if (finding.pairs > 0) text += fmt::format(", {} pairs", finding.pairs);
  if (finding.rerun_visits > 0)
    text += fmt::format(", {} visits of a later run", finding.rerun_visits);
  return text;
}

std::string why_of(const Finding& finding) {
  // Files of older versions have no reason for confirmed pairs.
  std::string why = finding.reason.empty() && is_of_time(finding.verdict)
                        ? confirmation_text(finding)
                        : finding.reason;
  // For unconfirmed changes, the reason already says this.
  if (const std::string then = accepted_text(finding);
      !then.empty() && finding.verdict != Verdict::same)
    why += (why.empty() ? "" : "; ") + then;
  if (finding.renamed_from.empty()) return why;
  return why + (why.empty() ? "" : "; ") + "renamed from " + finding.renamed_from;
}

std::string cause_of(const Comparison& comparison, const Finding& finding) {
  if (finding.cause == 0 || finding.cause > comparison.causes.size()) return "";
  return fmt::format("cause {}: {}", finding.cause,
                     cause_headline(comparison.causes[finding.cause - 1]));
}

}  // namespace plumbline
