#include "reports/cause_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/causes/causes.h"
#include "core/value.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kLongestValue = 120;  // characters of a kernel's name and the like
constexpr std::size_t kShortestHash = 16, kHashLength = 10;  // shortest text taken for a hash;
                                                             // length of a shown hash
constexpr std::size_t kMostKernels = 3, kMostOpcodes = 4;    // of changed code, in one line

std::string joined(const std::vector<std::string>& parts, std::string_view between,
                   std::string_view before_last) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == parts.size() ? before_last : between).append(parts[i]);
  return text;
}

std::string condition_text(const AxisCondition& condition) {
  const std::string& name = condition.name;
  if (condition.low && condition.high)
    return shortest_text(*condition.low) + " ≤ " + name + " ≤ " + shortest_text(*condition.high);
  if (condition.low) return name + " ≥ " + shortest_text(*condition.low);
  if (condition.high) return name + " ≤ " + shortest_text(*condition.high);
  std::vector<std::string> values;
  bool has_default = false;
  for (const std::string& value : condition.values)
    value.empty() ? void(has_default = true) : values.push_back(value);
  if (values.empty()) return name + (condition.is_except ? " not" : "") + " at its default";
  if (has_default) values.emplace_back("its default");
  return name + (condition.is_except ? " other than " : "=") + joined(values, ", ", " or ");
}

bool is_hash(std::string_view text) {
  return text.size() >= kShortestHash &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Cuts long texts; never within a character.
std::string shortened(const std::string& text) {
  if (text.empty()) return "none";
  if (is_hash(text)) return text.substr(0, kHashLength);
  if (text.size() <= kLongestValue) return text;
  std::size_t end = kLongestValue;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

/// `64 → 72`, `1.98 GHz → 1.78 GHz (−10 %)`.
std::string move_text(const RecordedFact& fact) {
  if (fact.unit.empty()) return shortened(fact.before) + " → " + shortened(fact.after);
  const QuantityPair pair =
      quantity_pair(fact.before_value, fact.after_value, fact.unit, std::nullopt);
  const std::string unit = pair.unit.empty() || pair.unit == "1" ? "" : "\u00A0" + pair.unit;
  std::string text = pair.before + " → " + pair.after + unit;
  if (fact.before_value && fact.after_value && *fact.before_value > 0)
    text += " (" + change_text(*fact.after_value / *fact.before_value - 1, {}, {}).whole() + ")";
  return text;
}

std::string count_text(std::size_t part, std::size_t all) {
  return part == all ? "" : fmt::format(" in {} of {} cases", part, all);
}

/// "backward 31.2 → 32.9 ms (+1.7 ms)"; a phase or kernel that one side lacks is new or gone.
std::string moved_text(const MovedPart& part) {
  const double added = part.after_s - part.before_s;
  const std::string size = (added < 0 ? "−" : "+") + quantity_text(std::abs(added), "s");
  const std::string name = part.kind + " " + shortened(part.name);
  if (!(part.before_s > 0)) return name + " is new (" + size + ")";
  if (!(part.after_s > 0)) return name + " is gone (" + size + ")";
  const QuantityPair pair = quantity_pair(part.before_s, part.after_s, "s", std::nullopt);
  return name + " " + pair.before + " → " + pair.after + "\u00A0" + pair.unit + " (" + size + ")";
}

std::vector<std::string> moved_texts(const Cause& cause) {
  std::vector<std::string> texts;
  for (const MovedPart& part : cause.moved) texts.push_back(moved_text(part));
  return texts;
}

/// Of the kernels of the cause's cases: the first ones in words, the others counted.
std::vector<std::string> code_texts(const Cause& cause, const Comparison& whole) {
  if (whole.code_changes.empty()) return {};
  std::set<std::pair<std::string_view, std::string_view>> cases;
  for (const Finding& finding : whole.findings)
    if (finding.cause > 0 && finding.cause <= whole.causes.size() &&
        &whole.causes[finding.cause - 1] == &cause)
      cases.insert({finding.suite, finding.case_id});
  std::vector<std::string> texts;
  for (const CodeChange& change : whole.code_changes) {
    const bool is_of_cause = std::ranges::any_of(change.cases, [&](const ChangedCodeCase& one) {
      return cases.contains({one.suite, one.case_id});
    });
    if (std::string text = code_text(change); is_of_cause && !text.empty())
      texts.push_back(std::move(text));
  }
  if (texts.size() > kMostKernels) {
    const std::size_t left = texts.size() - kMostKernels;
    texts.resize(kMostKernels);
    texts.push_back(fmt::format("and of {} more kernel{}", left, left == 1 ? "" : "s"));
  }
  return texts;
}

std::string changed_text(const RecordedFact& fact, std::size_t cases) {
  std::string text = fact.label + " " + move_text(fact);
  if (fact.is_of_run) return text;
  text += count_text(fact.changed, cases);
  if (fact.variants > 1) text += fmt::format(", one of {} such changes", fact.variants);
  return text;
}

std::string unknown_text(const RecordedFact& fact, std::size_t cases) {
  const std::string who = fact.missing == "both"       ? "either run"
                          : fact.missing == "baseline" ? "the baseline"
                                                       : "this run";
  return fact.label + " (not recorded by " + who + count_text(fact.unknown, cases) + ")";
}

void add_line(std::vector<FactLine>& lines, std::string label,
              const std::vector<std::string>& parts) {
  if (!parts.empty()) lines.push_back({std::move(label), joined(parts, "; ", "; ")});
}

std::string trait_text(const Cause& cause) {
  const SharedTrait& trait = *cause.trait;
  std::set<std::string> ops;
  for (const CausePart& part : cause.parts) ops.insert(part.op);
  const std::string in =
      ops.size() > 1 ? fmt::format(" in {} ops", ops.size()) : " in " + *ops.begin();
  if (trait.kind == "kernel") return "kernel " + shortened(trait.text) + in;
  if (trait.kind == "clock") return "SM clock moved" + in;
  return trait.text + " changed" + in;
}

std::string all_words(std::size_t cases) {
  return cases == 2 ? "both cases" : fmt::format("all {} cases", cases);
}

}  // namespace

std::string region_text(const std::vector<AxisCondition>& region) {
  std::vector<std::string> conditions;
  for (const AxisCondition& condition : region) conditions.push_back(condition_text(condition));
  return joined(conditions, ", ", conditions.size() > 2 ? ", and " : " and ");
}

std::string where_text(const CausePart& part) {
  const std::string region = region_text(part.region);
  const bool is_all = part.changed == part.cases;
  std::string text = is_all && part.cases == 1 ? (region.empty() ? "its only case" : "the one case")
                     : is_all                  ? all_words(part.cases)
                              : fmt::format("{} of {} cases", part.changed, part.cases);
  if (!region.empty()) text += " with " + region;
  if (part.open > 0) text += fmt::format("; {} could not be resolved", part.open);
  return text;
}

std::string subject_text(const Cause& cause) {
  if (cause.trait) return trait_text(cause);
  return cause.parts.empty() ? "" : cause.parts[0].op + " " + cause.parts[0].backend;
}

std::string range_text(const MetricChange& change) {
  const std::string low = change_text(change.low, {}, {}).whole();
  const std::string high = change_text(change.high, {}, {}).whole();
  return low == high ? low : low + " to " + high;
}

std::string size_text(const Cause& cause) {
  const auto change = std::ranges::find(cause.changes, cause.worst_metric, &MetricChange::metric);
  return change == cause.changes.end() ? "" : range_text(*change);
}

std::string cost_text(const Cause& cause) {
  if (!cause.cost || *cause.cost == 0) return "";
  const std::string size = quantity_text(std::abs(*cause.cost), cause.unit);
  const char* const how = cause.unit == "s" ? (*cause.cost > 0 ? " longer" : " less")
                                            : (*cause.cost > 0 ? " more" : " less");
  return cause.cases > 1 ? "Running each affected case once takes " + size + how + " in total."
                         : "Running the case once takes " + size + how + ".";
}

std::string code_text(const CodeChange& change) {
  if (!change.unknown.empty()) return "";
  const std::size_t before = change.before.instructions, after = change.after.instructions;
  std::string text = shortened(change.kernel) + ": " +
                     (before == after ? fmt::format("{} instructions, of other kinds or in another "
                                                    "order",
                                                    after)
                                      : fmt::format("{} → {} instructions", before, after));
  if (change.mix.empty() && change.diff.empty() && before == after)
    text = fmt::format("{}: the same {} instructions, but other scheduling or data",
                       shortened(change.kernel), after);
  std::vector<std::string> counts;
  for (const OpcodeCount& count : change.mix) {
    if (counts.size() == kMostOpcodes) {
      counts.push_back(fmt::format("{} more", change.mix.size() - kMostOpcodes));
      break;
    }
    counts.push_back(fmt::format("{} {} → {}", count.opcode, count.before, count.after));
  }
  return counts.empty() ? text : text + " (" + joined(counts, ", ", ", ") + ")";
}

std::vector<FactLine> fact_lines(const Cause& cause, const Comparison* whole) {
  std::vector<FactLine> lines;
  add_line(lines, "where the time went", moved_texts(cause));
  std::vector<std::string> changed, of_run, same, unknown;
  for (const RecordedFact& fact : cause.facts) {
    if (fact.name == "clock" && cause.clock_explains > 0) {
      add_line(lines, "likely reason",
               {fmt::format("{} {}: as much as the time{}", fact.label, move_text(fact),
                            count_text(cause.clock_explains, cause.cases))});
    } else if (fact.changed > 0) {
      (fact.is_of_run ? of_run : changed).push_back(changed_text(fact, cause.cases));
    }
    if (fact.unknown > 0) unknown.push_back(unknown_text(fact, cause.cases));
    if (fact.same == cause.cases) same.push_back(fact.label);
  }
  const bool is_of_kernels = is_of_time(cause.verdict) && cause.measure.ends_with("time");
  if (is_of_kernels && runs_the_same_code(cause))
    lines.push_back({"",
                     "Identical machine code, same configuration, different time: the code of "
                     "the kernels is not the reason."});
  else if (is_of_kernels && runs_the_same(cause))
    lines.push_back({"", "Same kernels, same configuration, different time."});
  add_line(lines, "also changed", changed);
  if (whole != nullptr) add_line(lines, "machine code", code_texts(cause, *whole));
  add_line(lines, "whole run", of_run);
  add_line(lines, "the same", same);
  add_line(lines, "not known", unknown);
  return lines;
}

std::string cause_headline(const Cause& cause) {
  std::vector<std::string> parts;
  for (const CausePart& part : cause.parts)
    parts.push_back((cause.parts.size() > 1 ? part.op + " " + part.backend + ": " : "") +
                    where_text(part));
  return subject_text(cause) + ": " + joined(parts, "; ", "; ");
}

std::string cause_line(const Cause& cause, const Comparison* whole) {
  std::string text = cause_headline(cause);
  if (const std::string size = size_text(cause); !size.empty()) text += ", " + size;
  for (const FactLine& line : fact_lines(cause, whole))
    if (line.label != "the same")
      text += "; " + (line.label.empty() ? "" : line.label + ": ") + line.text;
  const std::string cost = cost_text(cause);
  return cost.empty() ? text : text + (text.ends_with('.') ? " " : ". ") + cost;
}

}  // namespace plumbline
