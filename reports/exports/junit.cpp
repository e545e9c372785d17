#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/value.h"
#include "core/visible.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"

namespace plumbline {
namespace {

/// Text for XML 1.0 content and attributes, visible; what else XML cannot hold becomes U+FFFD.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += c;
    }
  }
  for (const std::string_view no_character : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(no_character); at != out.npos; at = out.find(no_character))
      out.replace(at, no_character.size(), "\uFFFD");
  return out;
}

struct Counts {
  std::size_t failures = 0, skipped = 0;
  double seconds = 0;
};

bool fails(const Finding& finding) {
  return is_regression(finding) || (finding.entry == 0 && finding.verdict == Verdict::missing);
}

bool is_skipped(const Comparison& comparison, const Finding& finding) {
  return finding.verdict == Verdict::not_judged || finding.verdict == Verdict::expected ||
         excuse_of(comparison, finding) == EntryKind::quarantined;
}

double seconds_of(const Finding& finding) {
  return finding.unit == "s" && finding.candidate ? *finding.candidate : 0;
}

std::string test_case(const Comparison& comparison, const Finding& finding) {
  const std::string name =
      finding.case_id + (finding.metric.empty() ? "" : " [" + finding.metric + "]");
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}" time="{}">)",
                                 xml(finding.suite + "." + finding.op + "." + finding.backend),
                                 xml(name), shortest_text(seconds_of(finding)));
  const std::string what = xml(verdict_words(comparison, finding) + ": " + numbers_of(finding));
  std::string why = why_of(finding);
  if (const std::string cause = cause_of(comparison, finding); !cause.empty())
    why += (why.empty() ? "" : "; ") + cause;
  if (finding.blind) why += (why.empty() ? "blind: " : "; blind: ") + blind_text(*finding.blind);
  if (fails(finding))
    text += fmt::format(R"(<failure type="{}" message="{}">{}</failure>)", name_of(finding.verdict),
                        what, xml(why));
  else if (is_skipped(comparison, finding))
    text += fmt::format(R"(<skipped message="{}"/>)",
                        finding.entry > 0 ? what + xml("; " + why) : xml(why));
  else
    text += fmt::format("<system-out>{}{}</system-out>", what, why.empty() ? "" : xml("; " + why));
  return text + "</testcase>\n";
}

/// A test suite of its own, for what is of no case: what the comparison measured of itself, tails
/// and modes as properties, a shift as a failure. "" where there is nothing of it.
std::string own_suite(const Comparison& comparison) {
  std::string properties;
  const auto add = [&](std::string_view name, const std::string& value) {
    properties += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml(value));
  };
  for (const std::string& line : own_measure_lines(comparison)) add("self-measurement", line);
  for (const std::string& line : distribution_lines(comparison.distribution_changes))
    add("distribution", line);
  if (properties.empty() && !comparison.has_shifted()) return "";
  const int shifts = comparison.has_shifted();
  std::string text = fmt::format(
      "  <testsuite name=\"plumbline\" tests=\"{0}\" failures=\"{0}\" errors=\"0\" "
      "skipped=\"0\" time=\"0\">\n",
      shifts);
  if (!properties.empty()) text += "    <properties>\n" + properties + "    </properties>\n";
  if (shifts > 0)
    text += fmt::format(
        "    <testcase classname=\"plumbline\" name=\"the run as a whole\" time=\"0\">"
        "<failure type=\"SHIFT\" message=\"{}\"/></testcase>\n",
        xml(comparison.shifts_text()));
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_text(const Comparison& comparison) {
  std::map<std::string_view, std::vector<const Finding*>> suites;
  for (const Finding& finding : comparison.findings) suites[finding.suite].push_back(&finding);
  std::string body;
  Counts all;
  body += own_suite(comparison);
  all.failures = comparison.has_shifted();
  for (const auto& [suite, findings] : suites) {
    Counts counts;
    std::string cases;
    for (const Finding* finding : findings) {
      counts.failures += fails(*finding);
      counts.skipped += is_skipped(comparison, *finding);
      counts.seconds += seconds_of(*finding);
      cases += test_case(comparison, *finding);
    }
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{}\">\n{}  </testsuite>\n",
        xml(suite), findings.size(), counts.failures, counts.skipped, shortest_text(counts.seconds),
        cases);
    all.failures += counts.failures;
    all.skipped += counts.skipped;
    all.seconds += counts.seconds;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumbline\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\">\n{}</testsuites>\n",
      comparison.findings.size() + std::size_t(comparison.has_shifted()), all.failures, all.skipped,
      shortest_text(all.seconds), body);
}

}  // namespace plumbline
