#include "reports/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/compare/status_decision.h"
#include "core/words.h"
#include "reports/culprits.h"
#include "reports/next_command.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// The facts of a comparison that its answer needs, computed once.
struct Facts {
  const Comparison& comparison;
  std::vector<const Finding*> cases;
  Census census;
  Sight sight;

  explicit Facts(const Comparison& made)
      : comparison(made),
        cases(worst_per_case(made)),
        census(census_of(made, cases)),
        sight(sight_of(cases, made.rule)) {}
  std::size_t count(Verdict verdict) const { return census.of(verdict); }
  /// True if anything was compared with the baseline: a metric, or whether a case works.
  bool has_judged() const {
    return std::ranges::any_of(comparison.findings, [this](const Finding& finding) {
      return finding.verdict != Verdict::not_judged && finding.verdict != Verdict::added &&
             finding.verdict != Verdict::missing &&
             excuse_of(comparison, finding) != EntryKind::quarantined;
    });
  }
};

const char* are(std::size_t count) { return count == 1 ? "is" : "are"; }

std::string sentence_of(std::string text) {
  if (text.empty() || text.ends_with('.')) return text;
  return text + '.';
}

void add_sentence(std::string& text, const std::string& sentence) {
  if (sentence.empty()) return;
  text += (text.empty() ? "" : " ") + sentence_of(sentence);
}

/// The most frequent reason of the cases without a verdict, and the number of these cases.
std::pair<std::string, std::size_t> commonest_reason(const Facts& facts) {
  std::map<std::string_view, std::size_t> times;
  for (const Finding* finding : facts.cases)
    if (finding->verdict == Verdict::not_judged || finding->entry > 0) ++times[finding->reason];
  const auto most = std::ranges::max_element(
      times, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == times.end()) return {};
  return {most->first.empty() ? "no reason was recorded" : std::string(most->first), most->second};
}

/// The median threshold of the cases that stayed open.
double threshold_of(const Facts& facts) {
  std::vector<double> thresholds;
  for (const Finding* finding : facts.cases)
    if (finding->verdict == Verdict::unresolved) thresholds.push_back(finding->threshold);
  std::ranges::sort(thresholds);
  return thresholds.empty() ? facts.comparison.rule.effect_floor
                            : thresholds[(thresholds.size() - 1) / 2];
}

/// The largest slowdown that may hide in cases that pairs did not decide; 0 if none that counts
/// may.
double hidden_in_pairs(const Comparison& comparison) {
  double largest = 0;
  for (const Finding& finding : comparison.findings)
    if (finding.verdict == Verdict::unresolved && finding.pairs > 0 &&
        hidden_slowdown(finding) > finding.threshold)
      largest = std::max(largest, hidden_slowdown(finding));
  return largest;
}

/// `33 of 40 are the same within 2 %, 7 could not be resolved`.
std::string same_words(const Facts& facts) {
  const std::size_t same = facts.count(Verdict::same), open = facts.count(Verdict::unresolved);
  std::string text;
  if (same > 0)
    text = fmt::format("{} of {} {} the same within {}", same, counted(facts.cases.size(), "case"),
                       are(same), share_text(facts.comparison.rule.margin));
  if (open > 0) {
    if (const double hidden = hidden_in_pairs(facts.comparison); text.empty() && hidden > 0)
      return fmt::format("{} of {} {} not decided, and may hide a slowdown of up to {}", open,
                         counted(facts.cases.size(), "case"), are(open), share_text(hidden));
    if (text.empty())  // no case is SAME, and none could have hidden a change that counts
      return fmt::format("{} of {} may have changed by less than the {} that counts", open,
                         counted(facts.cases.size(), "case"), share_text(threshold_of(facts)));
    text += fmt::format(", {} could not be resolved", open);
  }
  return text;
}

std::string missing_words(const Facts& facts) {
  const std::size_t missing = facts.count(Verdict::missing);
  if (missing == 0) return "";
  const auto first = std::ranges::find(facts.cases, Verdict::missing, &Finding::verdict);
  return missing == 1 ? fmt::format("1 case of the baseline is missing: {}", (*first)->case_id)
                      : fmt::format("{} cases of the baseline are missing", missing);
}

std::string of_verdict(const Facts& facts, Verdict verdict, std::string_view verb,
                       std::string_view how) {
  return changed_words(culprits_of(facts.comparison, verdict), verb, how);
}

/// The median of the smallest visible slowdown over the cases that stayed open.
std::optional<double> median_detectable(const Facts& facts) {
  std::vector<double> known;
  for (const Finding* finding : facts.cases)
    if (finding->verdict == Verdict::unresolved && finding->entry == 0 && finding->detectable)
      known.push_back(hidden_slowdown(*finding));
  if (known.empty()) return std::nullopt;
  std::ranges::sort(known);
  return known[(known.size() - 1) / 2];
}

/// `29 of 40 cases are too noisy to judge; half would hide a slowdown of 8.6 %`.
std::string blind_words(const Facts& facts) {
  if (!facts.sight.is_poor()) return "";
  const std::size_t all = facts.sight.cases, blind = facts.sight.blind;
  std::string text = blind == all && all > 1 ? fmt::format("all {} cases", all)
                                             : fmt::format("{} of {}", blind, counted(all, "case"));
  text += fmt::format(" {} too noisy to judge", are(blind));
  if (const std::optional<double> hidden = median_detectable(facts))
    text += fmt::format("; {} would hide a slowdown of {}", blind == 1 ? "it" : "half of them",
                        share_text(*hidden));
  return text;
}

/// True if the only reason for a missing verdict is a metric that left its suite.
bool is_unasked(const Finding* finding) {
  return finding->verdict == Verdict::not_judged && finding->entry == 0 &&
         finding->reason == kNotAsked;
}

/// `kernel_time_cold of 6 cases is no longer measured: this run does not ask for it`.
std::string unasked_words(const Facts& facts) {
  std::string metrics;
  std::size_t cases = 0;
  for (const Finding* finding : facts.cases) {
    if (!is_unasked(finding)) continue;
    ++cases;
    if (metrics.find(finding->metric) == metrics.npos)
      metrics += (metrics.empty() ? "" : ", ") + finding->metric;
  }
  if (cases == 0) return "";
  return fmt::format("{} of {} is {}", metrics, counted(cases, "case"), kNotAsked);
}

/// True if only metrics that left their suite keep the comparison from being clean.
bool lacks_metrics_alone(const Facts& facts) {
  using enum Verdict;
  const std::size_t unasked = std::size_t(std::ranges::count_if(facts.cases, is_unasked));
  return unasked > 0 && unasked == facts.count(not_judged) && facts.count(looks_slower) == 0 &&
         !facts.comparison.has_shifted() && !facts.sight.is_poor();
}

std::string not_judged_words(const Facts& facts) {
  const std::size_t count = facts.count(Verdict::not_judged);
  if (count == 0) return "";
  if (std::size_t(std::ranges::count_if(facts.cases, is_unasked)) == count)
    return unasked_words(facts);
  const auto [reason, times] = commonest_reason(facts);
  return fmt::format("{} of {} {} not judged{}: {}", count, counted(facts.cases.size(), "case"),
                     count == 1 ? "was" : "were",
                     times < count ? fmt::format(" ({} for this reason)", times) : "", reason);
}

std::string broken_headline(const Facts& facts) {
  std::string text;
  add_sentence(text, broken_words(culprits_of(facts.comparison, Verdict::broken)));
  add_sentence(text, missing_words(facts));
  add_sentence(text, of_verdict(facts, Verdict::slower, "is", "slower"));
  add_sentence(text, facts.comparison.shifts_text());
  return text;
}

std::string slower_headline(const Facts& facts) {
  std::string text;
  add_sentence(text, of_verdict(facts, Verdict::slower, "is", "slower"));
  add_sentence(text, of_verdict(facts, Verdict::faster, "is", "faster"));
  add_sentence(text, facts.comparison.shifts_text());
  add_sentence(text, moved_words(facts.cases));
  return text;
}

std::string clean_headline(const Facts& facts) {
  std::string text = "no case is slower";
  if (const std::string same = same_words(facts); !same.empty()) text += "; " + same;
  text += '.';
  add_sentence(text, of_verdict(facts, Verdict::faster, "is", "faster"));
  add_sentence(text, of_verdict(facts, Verdict::looks_faster, "looks", "faster"));
  if (const std::size_t fixed = facts.count(Verdict::fixed); fixed > 0)
    add_sentence(text, fmt::format("{} that failed in the baseline {} OK now",
                                   counted(fixed, "case"), fixed == 1 ? "is" : "are"));
  add_sentence(text, moved_words(facts.cases));
  return text;
}

std::string cannot_tell_headline(const Facts& facts) {
  std::string text;
  add_sentence(text, facts.comparison.shifts_text());
  if (const std::string slower = of_verdict(facts, Verdict::looks_slower, "looks", "slower");
      !slower.empty())
    add_sentence(text, slower + ", and nothing confirms it");
  add_sentence(text, blind_words(facts));
  add_sentence(text, not_judged_words(facts));
  return text.empty() ? "nothing could be judged." : text;
}

std::string not_comparable_headline(const Facts& facts) {
  if (facts.cases.empty()) return "neither run holds a result.";
  const std::size_t added = facts.count(Verdict::added);
  if (added == facts.cases.size())
    return fmt::format("the baseline holds {}.",
                       added == 1 ? "no such case: this run has one"
                                  : fmt::format("none of the {} cases of this run", added));
  const std::size_t missing = facts.count(Verdict::missing);
  if (added + missing == facts.cases.size())
    return fmt::format("the runs have no case in common: {} only in the baseline, {} only in this.",
                       counted(missing, "case"), added);
  const auto [reason, times] = commonest_reason(facts);
  return sentence_of(fmt::format("{} ({})", reason, counted(times, "case")));
}

std::string headline_of(const Facts& facts, AnswerKind kind) {
  switch (kind) {
    case AnswerKind::broken:
      return broken_headline(facts);
    case AnswerKind::slower:
      return slower_headline(facts);
    case AnswerKind::not_comparable:
      return not_comparable_headline(facts);
    case AnswerKind::cannot_tell:
      return cannot_tell_headline(facts);
    case AnswerKind::clean:
      return clean_headline(facts);
  }
  return "";
}

AnswerKind kind_of(const Facts& facts) {
  if (facts.count(Verdict::broken) > 0) return AnswerKind::broken;
  if (facts.count(Verdict::slower) > 0) return AnswerKind::slower;
  if (!facts.has_judged()) return AnswerKind::not_comparable;
  if (facts.count(Verdict::missing) > 0) return AnswerKind::broken;
  return exit_code(facts.comparison) == 0 ? AnswerKind::clean : AnswerKind::cannot_tell;
}

bool is_of_another_device(const Comparison& comparison) {
  return std::ranges::any_of(comparison.environment_changes, [](const EnvironmentChange& change) {
    return change.name == "device_uuid";
  });
}

/// Why accepting is not proposed, appended to another sentence.
std::string refusal_words(const Comparison& comparison) {
  if (!comparison.candidate_path.empty() && is_same_run(comparison))
    return " Both sides are the same run: no case can differ.";
  return comparison.refusal.empty()
             ? ""
             : " This run cannot be accepted as it is: " + sentence_of(comparison.refusal);
}

/// True if pytest measured the run (harness/python); no plumbline command starts that.
bool is_of_pytest(const RunInfo& info) {
  return !info.command.empty() && info.command.front() == "pytest";
}

constexpr std::string_view kMorePairs =
    "To decide the open cases, measure more pairs (--looks), or on a quieter machine.";

/// Cases in pairs have no stronger measurement: only more of it helps, or another machine.
bool only_more_pairs_help(const Facts& facts) {
  return facts.sight.is_poor() && std::ranges::none_of(facts.cases, [](const Finding* finding) {
           return finding->verdict == Verdict::unresolved && finding->pairs == 0;
         });
}

void advise(const Facts& facts, Answer& answer) {
  const Comparison& comparison = facts.comparison;
  const auto class_of = [](const RunInfo& info) { return info.environment.device_class; };
  const bool has_paths = !comparison.baseline_path.empty() && !comparison.candidate_path.empty();
  if (answer.kind == AnswerKind::not_comparable && has_paths &&
      class_of(comparison.baseline) != class_of(comparison.candidate)) {
    answer.advice = "Devices of two classes are put side by side, not judged.";
    answer.command = shell_command(
        {"plumbline", "devices", comparison.baseline_path, comparison.candidate_path});
    return;
  }
  if (answer.kind == AnswerKind::not_comparable) {
    answer.command = accept_command(comparison);
    answer.advice = answer.command.empty()
                        ? "Compare with a run that is like it." + refusal_words(comparison)
                        : "Accept this run as the baseline, or compare with a run that is like it.";
    return;
  }
  if (answer.kind == AnswerKind::clean && has_paths) {
    answer.command = accept_command(comparison);
    if (hidden_in_pairs(comparison) > 0) {
      answer.command.clear();
      answer.advice = kMorePairs;
    } else if (answer.command.empty())
      answer.advice = "Nothing needs action." + refusal_words(comparison);
    else
      answer.advice =
          comparison.count(Verdict::faster) > 0
              ? "If that is meant, accept this run: later ones are then held to it."
              : "Nothing needs action. To compare later runs with this one as well, accept it.";
    return;
  }
  if (answer.kind == AnswerKind::slower) {
    answer.command = difference_command(comparison);
    if (!answer.command.empty()) answer.advice = "See what changed between the sides.";
    return;
  }
  if (answer.kind != AnswerKind::cannot_tell) return;
  if (is_of_pytest(comparison.candidate)) {
    answer.advice =
        "Measure both again with pytest --plumbline. Three earlier runs or more (--history) tell a "
        "change from a bad night.";
    return;
  }
  if (lacks_metrics_alone(facts)) {
    answer.command = accept_command(comparison);
    answer.advice = answer.command.empty()
                        ? "If that is meant, accept a run without it." + refusal_words(comparison)
                        : "If that is meant, accept this run: later ones are compared without it.";
    return;
  }
  if (comparison.is_ab || only_more_pairs_help(facts)) {
    const bool needs_more = facts.sight.is_poor() || facts.count(Verdict::looks_slower) > 0;
    answer.advice =
        needs_more ? std::string(kMorePairs) : "The list of cases says what each of them lacks.";
    return;
  }
  answer.advice = is_of_another_device(comparison)
                      ? "The baseline is of another device. Measure both sides in pairs on this "
                        "one."
                      : "Measure both sides in pairs.";
  answer.command = pairs_command(comparison);
  if (!answer.command.empty()) return;
  answer.command = rerun_command(comparison);
  answer.advice =
      answer.command.empty()
          ? "Measure both sides in pairs (plumbline ab); this comparison does not know "
            "the baseline’s commit."
          : "The baseline’s commit is not known, so that pairs are not possible. Measure "
            "again: what looks changed is then measured twice.";
}

struct KindWords {
  std::string_view word, symbol, tone;
};

constexpr KindWords kWords[] = {{"Broken", "✕", "broken"},  // in the order of AnswerKind
                                {"Slower", "▲", "slower"},
                                {"Not comparable", "○", "unjudged"},
                                {"Cannot tell", "◇", "unresolved"},
                                {"Clean", "✓", "clean"}};

const KindWords& words_of(AnswerKind kind) { return kWords[std::size_t(kind)]; }

}  // namespace

Answer answer_of(const Comparison& comparison) {
  const Facts facts(comparison);
  Answer answer;
  answer.kind = kind_of(facts);
  answer.headline = headline_of(facts, answer.kind);
  advise(facts, answer);
  if (answer.headline.starts_with("The ")) answer.headline[0] = 't';  // it follows a colon
  return answer;
}

std::string_view word_of(AnswerKind kind) { return words_of(kind).word; }
std::string_view symbol_of(AnswerKind kind) { return words_of(kind).symbol; }
std::string_view tone_of(AnswerKind kind) { return words_of(kind).tone; }

std::string answer_text(const Answer& answer) {
  return fmt::format("{}: {}", word_of(answer.kind), answer.headline);
}

}  // namespace plumbline
