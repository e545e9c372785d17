#include <fmt/format.h>

#include <vector>

#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"

namespace plumbline {
namespace {

constexpr std::size_t kShown = 10;  // of a kind, in a step (GitHub's limit)

/// GitHub's escapes of a command's message; a property escapes two characters more.
std::string escaped_command(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    const bool is_special =
        c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    out += is_special ? fmt::format("%{:02X}", unsigned(static_cast<unsigned char>(c)))
                      : std::string(1, c);
  }
  return out;
}

std::string line_of(const char* kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind, escaped_command(title, true),
                     escaped_command(message, false));
}

std::string lines_of(const char* kind, const std::vector<const Finding*>& findings) {
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (i + 1 == kShown && findings.size() > kShown)
      return text + line_of(kind, "Plumbline",
                            fmt::format("{} more are in the report", findings.size() - i));
    const Finding& finding = *findings[i];
    std::string message = finding.case_id;
    for (const std::string& part : {finding.metric, numbers_of(finding), finding.reason})
      if (!part.empty()) message += "; " + part;
    text += line_of(kind, fmt::format("{} {}", name_of(finding.verdict), finding.op), message);
  }
  return text;
}

}  // namespace

std::string annotations_text(const Comparison& comparison) {
  std::vector<const Finding*> errors, warnings;
  for (const Finding* finding : worst_per_case(comparison)) {
    if (is_regression(finding->verdict)) errors.push_back(finding);
    if (is_unanswered(finding->verdict)) warnings.push_back(finding);
  }
  return lines_of("error", errors) + lines_of("warning", warnings);
}

}  // namespace plumbline
