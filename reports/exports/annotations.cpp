#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

#include "core/visible.h"
#include "reports/cause_text.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"

namespace plumbline {
namespace {

constexpr std::size_t kShown = 10;  // of each kind in a step (GitHub's limit)

/// Makes text visible and escapes it for GitHub's commands; properties escape two more characters.
std::string escaped_command(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : visible(text)) {
    const bool is_special = c == '%' || c == '\n' || (is_property && (c == ':' || c == ','));
    out += is_special ? fmt::format("%{:02X}", unsigned(static_cast<unsigned char>(c)))
                      : std::string(1, c);
  }
  return out;
}

struct Line {
  std::string title, message;
  std::optional<SourcePlace> place = {};
};

std::string line_of(const char* kind, const Line& line) {
  std::string where;
  if (line.place)
    where = fmt::format("file={},line={},endLine={},", escaped_command(line.place->file, true),
                        line.place->line, line.place->end_line);
  return fmt::format("::{} {}title={}::{}\n", kind, where, escaped_command(line.title, true),
                     escaped_command(line.message, false));
}

std::string lines_of(const char* kind, const std::vector<Line>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 == kShown && lines.size() > kShown)
      return text + line_of(kind, {"Plumbline",
                                   fmt::format("{} more are in the report", lines.size() - i)});
    text += line_of(kind, lines[i]);
  }
  return text;
}

/// One line for each cause, at the first of its findings; findings without a cause have their own.
class Lines {
 public:
  Lines(const Comparison& comparison, const SourcePlaces& places)
      : comparison_(comparison), places_(places) {}

  void add(const Finding& finding) {
    const bool has_cause = finding.cause > 0 && finding.cause <= comparison_.causes.size();
    if (has_cause && !told_.insert(finding.cause).second) return;
    const Cause* cause = has_cause ? &comparison_.causes[finding.cause - 1] : nullptr;
    std::string message = cause ? cause_line(*cause, &comparison_) : "";
    if (cause) message += message.ends_with('.') ? " Worst: " : "; worst: ";
    message += finding.case_id;
    for (const std::string& part : {finding.metric, numbers_of(finding), why_of(finding)})
      if (!part.empty()) message += "; " + part;
    lines.push_back({fmt::format("{} {}", verdict_words(comparison_, finding),
                                 cause ? subject_text(*cause) : finding.op),
                     std::move(message), place_of(finding)});
  }

  std::vector<Line> lines;

 private:
  std::optional<SourcePlace> place_of(const Finding& finding) const {
    const auto place = places_.find({finding.suite, finding.case_id});
    if (place == places_.end()) return std::nullopt;
    return place->second;
  }

  const Comparison& comparison_;
  const SourcePlaces& places_;
  std::set<std::size_t> told_;
};

}  // namespace

std::string annotations_text(const Comparison& comparison, const SourcePlaces& places) {
  Lines errors(comparison, places), warnings(comparison, places), notices(comparison, places);
  for (const Finding* finding : worst_per_case(comparison)) {
    if (is_regression(*finding)) errors.add(*finding);
    if (is_unanswered(*finding)) warnings.add(*finding);
    if (finding->entry > 0) notices.add(*finding);
  }
  if (comparison.has_shifted())
    warnings.lines.insert(warnings.lines.begin(), {"Plumbline: a shift", comparison.shifts_text()});
  return lines_of("error", errors.lines) + lines_of("warning", warnings.lines) +
         lines_of("notice", notices.lines);
}

}  // namespace plumbline
