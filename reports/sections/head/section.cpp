/// The first screen: identity, the verdict in one sentence, its evidence, and differences.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "core/words.h"
#include "reports/answer.h"
#include "reports/cells.h"
#include "reports/glossary.h"

namespace plumbline {
namespace {

constexpr std::size_t kReasonsShown = 3;

// Words that are marked (glossary.h).
constexpr std::array<std::string_view, 3> kWordsOfLine{"false alarm", "trial", "planted"};
constexpr std::array<std::string_view, 3> kWordsOfParagraphs{"Smallest slowdown", "Noise check",
                                                             "interval"};

void join(std::string& line, const std::string& part, std::string_view between) {
  if (part.empty()) return;
  line += (line.empty() ? "" : std::string(between)) + part;
}

std::string cases_text(std::size_t count) {
  return number_text(double(count), 0) + (count == 1 ? " case" : " cases");
}

/// Null if nothing is known.
PageData commit_data(const ReportInput& input) {
  const Environment& environment = input.candidate->info.environment;
  const bool is_dirty = environment.dirty == true;
  PageData id;
  if (!environment.commit.empty())
    id = {{"whole", environment.commit}, {"short", environment.commit.substr(0, 10)}};
  const bool is_named = !id.is_null() || is_dirty || !input.commit_subject.empty();
  const bool is_by_known = !input.commit_author.empty();
  if (!is_named && !is_by_known && input.commit_time.empty()) return nullptr;
  return {{"id", id},
          {"is_dirty", is_dirty},
          {"subject", input.commit_subject},
          {"by", (is_named && is_by_known ? ", " : "") + input.commit_author},
          {"before_time", is_named || is_by_known ? ", " : ""},
          {"moment", input.commit_time}};
}

/// What was measured, from which commit, and when: parts of one line.
PageData identity_data(const ReportInput& input) {
  const RunInfo& info = input.candidate->info;
  PageData parts = PageData::array();
  const auto add = [&](const char* kind, PageData value) {
    if (value.is_null() || value == "") return;
    parts.push_back({{"between", parts.empty() ? "" : " · "},
                     {"strong", ""},
                     {"commit", nullptr},
                     {"moment", ""},
                     {"text", ""}});
    parts.back()[kind] = std::move(value);
  };
  std::set<std::string_view> devices;
  for (const ResultRow& row : input.candidate->rows)
    if (!row.device.empty()) devices.insert(row.device);
  std::string suites;
  for (const SuiteRef& suite : info.suites) join(suites, suite.name, ", ");
  std::string device = info.environment.device_model;
  if (devices.size() > 1) device = fmt::format("{} × {}", devices.size(), device);
  const std::string took = duration_text(info.started_at, info.finished_at);
  add("strong", input.project);
  add("commit", commit_data(input));
  add("strong", device);
  add("text", suites.empty() ? "" : "suite " + suites);
  add("moment", info.started_at);
  add("text", took.empty() ? "" : "took " + took);
  return parts;
}

std::string sentence_alone(const ReportModel& model) {
  std::map<std::string_view, std::pair<int, std::size_t>> words;  // word -> rank, cases
  std::set<std::pair<std::string_view, std::string_view>> seen, bad;
  for (const CaseView& view : model.cases) {
    if (!seen.insert({view.suite, view.id}).second) continue;
    auto& [rank, count] = words[view.label.word];
    rank = view.label.rank;
    ++count;
  }
  std::vector<std::pair<int, std::string>> parts;
  std::size_t measured = 0;
  for (const auto& [word, what] : words) {
    if (word == "measured" || word == "unverified") measured += what.second;
    if (word != "measured")
      parts.emplace_back(what.first, number_text(double(what.second), 0) + " " + std::string(word));
  }
  std::sort(parts.begin(), parts.end());
  std::string text = number_text(double(measured), 0) + " of " + cases_text(seen.size()) +
                     (measured == 1 ? " was measured" : " were measured");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "; " : ", ") + parts[i].second;
  return text + ". There is no baseline to compare with.";
}

/// `8 because …; 3 because …`: cases without a verdict by reason, most frequent first.
std::string not_judged_text(const Comparison& comparison) {
  std::map<std::string_view, std::size_t> reasons;
  std::size_t total = 0;
  for (const Finding* finding : worst_per_case(comparison)) {
    if (finding->verdict != Verdict::not_judged || finding->entry > 0) continue;
    ++reasons[finding->reason];
    ++total;
  }
  if (total == 0) return "Every case that both runs hold was judged.";
  std::vector<std::pair<std::size_t, std::string_view>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(count, reason);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return a.first > b.first; });
  std::string text = cases_text(total) + (total == 1 ? " was" : " were") + " not judged";
  std::size_t listed = 0;
  for (std::size_t i = 0; i < std::min(kReasonsShown, sorted.size()); ++i) {
    text += (i == 0 ? ": " : "; ") + number_text(double(sorted[i].first), 0) + " because " +
            (sorted[i].second.empty() ? "no reason was recorded" : std::string(sorted[i].second));
    listed += sorted[i].first;
  }
  if (listed < total) text += "; " + number_text(double(total - listed), 0) + " for other reasons";
  return text + ".";
}

std::string shift_text(const Comparison& comparison) {
  if (!comparison.has_shifted()) return "No movement common to all cases was found.";
  std::string text;
  const auto add = [&](const RunShift& shift) {
    text += (text.empty() ? "The " : ", the ") + std::string(name_of(shift.part)) +
            (shift.part == RunPart::whole ? " run moved by " : " part of the run moved by ") +
            change_text(shift.change, shift.change_low, shift.change_high).whole() + ", seen in " +
            cases_text(shift.cases);
  };
  if (comparison.shift) add(*comparison.shift);
  for (const RunShift& shift : comparison.part_shifts) add(shift);
  return text + "; the changes below are what remains.";
}

std::string detectable_text(const Comparison& comparison) {
  std::vector<double> known;
  for (const Finding& finding : comparison.findings)
    if (finding.detectable) known.push_back(*finding.detectable);
  if (known.empty()) return "";
  std::sort(known.begin(), known.end());
  return "Smallest slowdown that would be seen: " + share_text(known[known.size() / 2]) +
         " in half of the cases, " + share_text(known.back()) + " in the least certain one.";
}

/// Null for a run alone, and if no recorded entry differs.
PageData differences_data(const Comparison* comparison) {
  if (comparison == nullptr || comparison->environment_changes.empty()) return nullptr;
  const auto text = [](const std::string& value) { return value.empty() ? "–" : value; };
  PageData list = PageData::array();
  std::string names;
  for (const EnvironmentChange& change : comparison->environment_changes) {
    join(names, change.label, ", ");
    list.push_back({{"label", change.label},
                    {"baseline", text(change.baseline)},
                    {"candidate", text(change.candidate)},
                    {"kind", change.kind}});
  }
  return {{"count", counted(list.size(), "thing")},
          {"differ", list.size() == 1 ? "differs" : "differ"},
          {"names", names},
          {"list", list}};
}

/// The largest planted slowdown, and the smallest one that was found at least 80 % of the time.
std::string planted_text(const SelfCheck& check) {
  const std::vector<Detection>& rates = check.confirmed.empty() ? check.called : check.confirmed;
  if (rates.empty() || rates.back().cases == 0)
    return "";  // each case changed: none was planted in
  const Detection& largest = rates.back();
  constexpr double kMostMissed = 0.5;  // as self_check.cpp says it
  if (largest.bounds().high < kMostMissed)
    return fmt::format("this run would miss most slowdowns of {} (found {} of {})",
                       share_text(largest.size), largest.seen, largest.cases);
  const auto visible = std::ranges::find_if(rates, [](const Detection& rate) {
    return rate.cases > 0 && 5 * rate.seen >= 4 * rate.cases;
  });
  const Detection& shown = visible == rates.end() ? largest : *visible;
  return fmt::format("planted slowdowns of {} were found in {} of {} cases", share_text(shown.size),
                     shown.seen, shown.cases);
}

/// `0 false alarms in 40 trials without a change; planted slowdowns of 3 % were found in 35 of 35
/// cases.` "" without a self-check.
std::string sure_text(const Comparison& comparison) {
  if (!comparison.self_check) return "";
  const SelfCheck& check = comparison.self_check->pooled;
  std::string text;
  if (check.alarms.cases > 0)
    text = fmt::format("{} in {} without a change", counted(check.alarms.seen, "false alarm"),
                       counted(check.alarms.cases, "trial"));
  join(text, planted_text(check), "; ");
  return text.empty() ? "" : "Checked on samples of this comparison: " + text + ".";
}

/// The answer for the page; for a run alone, what was measured.
PageData answer_data(const ReportModel& model) {
  const Comparison* comparison = model.input.comparison;
  if (comparison == nullptr)
    return {{"kind", nullptr},
            {"tone", ""},
            {"headline", sentence_alone(model)},
            {"advice", ""},
            {"command", nullptr}};
  const Answer answer = answer_of(*comparison);
  std::string term = term_of(word_of(answer.kind));
  term[0] = char(std::tolower(static_cast<unsigned char>(term[0])));
  return {{"kind",
           {{"symbol", symbol_of(answer.kind)},
            {"word", word_of(answer.kind)},
            {"term", std::move(term)}}},
          {"tone", tone_of(answer.kind)},
          {"headline", unbroken(answer.headline)},
          {"advice", answer.advice},
          {"command",
           answer.command.empty()
               ? PageData()
               : PageData{{"purpose", answer.kind == AnswerKind::clean ? "accept" : "do this"},
                          {"command", answer.command}}}};
}

/// Counts as links that filter the table.
PageData counts_data(const ReportModel& model) {
  std::map<int, std::pair<Label, std::size_t>> counts;
  std::set<std::pair<std::string_view, std::string_view>> seen;  // a case shows its worst metric
  const auto add = [&](const Label& label) {
    ++counts.try_emplace(label.rank, label, 0).first->second.second;
  };
  if (model.input.comparison)
    for (const Finding* finding : worst_per_case(*model.input.comparison)) {
      const auto excuse = excuse_of(*model.input.comparison, *finding);
      add(excuse ? label_of(*excuse) : label_of(finding->verdict));
    }
  else
    for (const CaseView& view : model.cases)
      if (seen.insert({view.suite, view.id}).second) add(view.label);
  PageData list = PageData::array();
  for (const auto& [rank, entry] : counts) {
    const auto& [label, count] = entry;
    std::string word(label.word);
    std::replace(word.begin(), word.end(), ' ', '-');
    list.push_back(label_data(label));
    if (count > 1 && label.word.starts_with("looks "))
      list.back()["word"] = "look" + std::string(label.word.substr(5));
    list.back()["link"] = query_link("verdict:" + word);
    list.back()["count"] = number_text(double(count), 0);
  }
  return list;
}

/// The evidence for the verdicts, folded; null if there are no verdicts.
PageData sure_data(const Comparison* comparison) {
  if (comparison == nullptr || answer_of(*comparison).kind == AnswerKind::not_comparable)
    return nullptr;
  std::vector<std::string> paragraphs{not_judged_text(*comparison) + " " + shift_text(*comparison) +
                                      " " + detectable_text(*comparison)};
  if (comparison->self_check) paragraphs.push_back(self_check_text(*comparison->self_check));
  if (comparison->null_check) paragraphs.push_back(null_check_text(*comparison->null_check));
  PageData said = PageData::array();
  for (const std::string& paragraph : paragraphs)
    if (!paragraph.empty()) said.push_back({{"said", said_data(paragraph, kWordsOfParagraphs)}});
  return {{"line", {{"said", said_data(unbroken(sure_text(*comparison)), kWordsOfLine)}}},
          {"paragraphs", std::move(said)},
          {"notes", lists_data("quiet", {distribution_lines(comparison->distribution_changes),
                                         comparison->notes})}};
}

PageData content(const ReportModel& model) {
  const ReportInput& input = model.input;
  std::vector<std::string> of_baseline;
  if (input.baseline)
    for (const std::string& warning : input.baseline->warnings)
      of_baseline.push_back("Baseline: " + warning);
  return {{"identity", identity_data(input)},
          {"answer", answer_data(model)},
          {"counts", counts_data(model)},
          {"is_unfinished", input.candidate->info.finished_at.empty()},
          {"warnings", lists_data("warning", {input.candidate->warnings, of_baseline})},
          {"sure", sure_data(input.comparison)},
          {"differences", differences_data(input.comparison)}};
}

}  // namespace

Section head_section() { return {"head", 10, content, nullptr}; }

}  // namespace plumbline
