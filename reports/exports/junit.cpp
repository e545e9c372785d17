#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/value.h"
#include "core/visible.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"

namespace plumbline {
namespace {

/// Makes text visible. U+FFFD replaces two remaining characters that XML 1.0 does not allow.
std::string xml(std::string_view text) {
  std::string out = visible(text);
  for (const std::string_view no_character : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(no_character); at != out.npos; at = out.find(no_character))
      out.replace(at, no_character.size(), "\uFFFD");
  return out;
}

/// Adds an attribute.
template <class Value>
void set(pugi::xml_node node, const char* name, const Value& value) {
  if constexpr (std::is_integral_v<Value>)
    node.append_attribute(name) = value;
  else
    node.append_attribute(name) = xml(value).c_str();
}

struct Counts {
  std::size_t tests = 0, failures = 0, skipped = 0;
  double seconds = 0;

  void add(const Counts& more) {
    tests += more.tests;
    failures += more.failures;
    skipped += more.skipped;
    seconds += more.seconds;
  }
  void write(pugi::xml_node node) const {
    set(node, "tests", tests);
    set(node, "failures", failures);
    set(node, "errors", 0);
    set(node, "skipped", skipped);
    set(node, "time", shortest_text(seconds));
  }
};

bool fails(const Finding& finding) {
  return is_regression(finding) || (finding.entry == 0 && finding.verdict == Verdict::missing);
}

bool is_skipped(const Comparison& comparison, const Finding& finding) {
  return finding.verdict == Verdict::not_judged || finding.verdict == Verdict::expected ||
         finding.verdict == Verdict::looks_slower ||
         excuse_of(comparison, finding) == EntryKind::quarantined;
}

double seconds_of(const Finding& finding) {
  return finding.unit == "s" && finding.candidate ? *finding.candidate : 0;
}

pugi::xml_node add_test(pugi::xml_node suite, const std::string& group, const std::string& name,
                        double seconds) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", group);
  set(test, "name", name);
  set(test, "time", shortest_text(seconds));
  return test;
}

void add_finding(pugi::xml_node suite, const Comparison& comparison, const Finding& finding) {
  pugi::xml_node test =
      add_test(suite, finding.suite + "." + finding.op + "." + finding.backend,
               finding.case_id + (finding.metric.empty() ? "" : " [" + finding.metric + "]"),
               seconds_of(finding));
  const std::string what = verdict_words(comparison, finding) + ": " + numbers_of(finding);
  std::string why = why_of(finding);
  const auto add = [&](const std::string& more) { why += (why.empty() ? "" : "; ") + more; };
  if (const std::string cause = cause_of(comparison, finding); !cause.empty()) add(cause);
  if (finding.blind) add(blind_text(*finding.blind));
  if (fails(finding)) {
    pugi::xml_node failure = test.append_child("failure");
    set(failure, "type", name_of(finding.verdict));
    set(failure, "message", what);
    failure.text() = xml(why).c_str();
  } else if (is_skipped(comparison, finding)) {
    set(test.append_child("skipped"), "message", finding.entry > 0 ? what + "; " + why : why);
  } else {
    test.append_child("system-out").text() = xml(what + (why.empty() ? "" : "; " + why)).c_str();
  }
}

/// A test suite for results that belong to no case: the self-check, tails and modes as properties,
/// shifts as failures. Adds nothing if there are none.
Counts add_own_suite(pugi::xml_node all, const Comparison& comparison) {
  std::vector<std::pair<const char*, std::string>> properties;
  for (const std::string& line : own_measure_lines(comparison))
    properties.emplace_back("self-measurement", line);
  for (const std::string& line : distribution_lines(comparison.distribution_changes))
    properties.emplace_back("distribution", line);
  const std::size_t shifts = comparison.has_shifted();
  const Counts counts{shifts, shifts};
  if (properties.empty() && shifts == 0) return counts;
  pugi::xml_node suite = all.append_child("testsuite");
  set(suite, "name", "plumbline");
  counts.write(suite);
  if (!properties.empty()) suite.append_child("properties");
  for (const auto& [name, value] : properties) {
    pugi::xml_node property = suite.child("properties").append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  }
  if (shifts > 0) {
    pugi::xml_node failure =
        add_test(suite, "plumbline", "the run as a whole", 0).append_child("failure");
    set(failure, "type", "SHIFT");
    set(failure, "message", comparison.shifts_text());
  }
  return counts;
}

}  // namespace

std::string junit_text(const Comparison& comparison) {
  std::map<std::string_view, std::vector<const Finding*>> suites;
  for (const Finding& finding : comparison.findings) suites[finding.suite].push_back(&finding);
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "plumbline");
  Counts all = add_own_suite(root, comparison);
  for (const auto& [name, findings] : suites) {
    pugi::xml_node suite = root.append_child("testsuite");
    set(suite, "name", name);
    Counts counts;
    for (const Finding* finding : findings)
      counts.add({1, fails(*finding), is_skipped(comparison, *finding), seconds_of(*finding)});
    counts.write(suite);
    all.add(counts);
    for (const Finding* finding : findings) add_finding(suite, comparison, *finding);
  }
  all.write(root);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace plumbline
