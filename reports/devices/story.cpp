#include "reports/devices/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
#include "core/words.h"
#include "reports/cells.h"
#include "reports/devices/accuracy_text.h"
#include "reports/devices/texts.h"
#include "reports/devices/variants.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostCases = 12;      // the table of all cases has the others
constexpr double kWidthOfName = 0.12;       // share of the widest bar that holds a phase's name
constexpr std::string_view kData = "data";  // only steps that copy their arguments have it
constexpr std::array<std::string_view, 6> kPhases{"forward",   "loss", "backward", "scale_and_clip",
                                                  "optimizer", kData};  // in the order of tones

/// The rows of a case: its time first, then memory and energy, where it has them.
std::vector<const DeviceRow*> shown_rows(const DeviceTable& table, const CaseStory& story) {
  std::vector<const DeviceRow*> rows;
  for (const std::string_view metric :
       {std::string_view(story.time), std::string_view("peak_memory"), std::string_view("energy")})
    for (const DeviceRow& row : table.rows)
      if (row.suite == story.suite && row.case_id == story.case_id && row.metric == metric)
        rows.push_back(&row);
  return rows;
}

/// Intervals without width say nothing: memory is often the same in every round.
DeviceCell without_empty_intervals(DeviceCell cell) {
  constexpr double kWidth = 1e-4;
  const auto is_empty = [](const auto& low, const auto& high) {
    return low && high && *high - *low < kWidth * *high;
  };
  if (is_empty(cell.low, cell.high)) cell.low = cell.high = std::nullopt;
  if (is_empty(cell.ratio_low, cell.ratio_high)) cell.ratio_low = cell.ratio_high = std::nullopt;
  return cell;
}

/// A cell: its text, what it is, and why it is empty.
PageData cell_data(const std::string& text, const std::string& label, const std::string& reason) {
  return {{"text", text}, {"label", label}, {"reason", text == "–" ? reason : ""}};
}

bool has_p99(const CaseStory& story) {
  return std::ranges::any_of(story.variants,
                             [](const VariantStory& one) { return one.p99_s.has_value(); });
}

/// The ranks that compute a step, by the variant's name.
double ranks_in(std::string_view name) {
  constexpr std::string_view kKey = "ranks=";
  const std::size_t place = name.find(kKey);
  double ranks = 1;
  if (place != name.npos) {
    const std::string_view rest = name.substr(place + kKey.size());
    parse_number(rest.substr(0, rest.find(',')), ranks);
  }
  return ranks;
}

/// How many times more ranks a variant has than the reference.
double times_ranks(const DeviceTable& table, std::size_t i) {
  return ranks_in(table.columns[i].name) / ranks_in(table.columns[table.reference].name);
}

bool has_scaling(const DeviceTable& table, const CaseStory& story) {
  for (std::size_t i = 0; i < story.variants.size(); ++i)
    if (story.variants[i].has_case && times_ranks(table, i) != 1) return true;
  return false;
}

/// The factor won, as a share of the ranks that it took: for one case of a size.
PageData scaling_data(const DeviceTable& table, const DeviceCell& cell, std::size_t i) {
  const double times = times_ranks(table, i);
  if (times == 1) return cell_data("", "", "");
  return cell_data(cell.ratio ? share_text(*cell.ratio / times) : "–", "scaling efficiency",
                   cell.reason);
}

void add_accuracy(const VariantAccuracy& one, bool is_reference, PageData& cells) {
  cells.push_back(cell_data(accuracy_text(one), "accuracy", one.reason));
  cells.push_back(is_reference ? cell_data("", "", "")
                               : cell_data(difference_text(one), "difference", one.reason));
  cells.back()["tone"] = one.is_loss ? "slower" : "";
  cells.push_back(is_reference ? cell_data("", "", "")
                               : cell_data(visible_text(one), "visible loss", "all seeds agree"));
}

/// The columns of a metric: its value, its slowest launches, its factor.
void add_metric(const DeviceTable& table, const CaseStory& story, const DeviceRow& row,
                std::size_t i, PageData& cells) {
  const DeviceCell &whole = row.cells[i], cell = without_empty_intervals(whole);
  cells.push_back(cell_data(value_text(cell, row.unit), row.metric, cell.reason));
  if (row.metric == story.time && has_p99(story)) {
    const auto& p99 = story.variants[i].p99_s;
    cells.push_back(cell_data(p99 ? quantity_text(*p99, "s") : "–", "p99",
                              "too few launches, or batches of them"));
  }
  cells.push_back(i == table.reference ? cell_data("", "", "")
                                       : cell_data(ratio_text(cell), "won", cell.reason));
  if (whole.ratio_low && (*whole.ratio_low > 1 || *whole.ratio_high < 1))
    cells.back()["tone"] = *whole.ratio_low > 1 ? "faster" : "slower";
  if (row.metric == story.time && has_scaling(table, story))
    cells.push_back(scaling_data(table, cell, i));
}

PageData variant_data(const DeviceTable& table, const CaseStory& story, std::size_t i) {
  PageData cells = PageData::array();
  bool has_accuracy = !story.has_accuracy();  // stands behind the time
  for (const DeviceRow* const row : shown_rows(table, story)) {
    add_metric(table, story, *row, i, cells);
    if (!std::exchange(has_accuracy, true))
      add_accuracy(story.variants[i].accuracy, i == table.reference, cells);
  }
  for (PageData& cell : cells)
    if (!cell.contains("tone")) cell["tone"] = "";
  return {{"name", table.columns[i].name}, {"cells", std::move(cells)}};
}

PageData header_of(const DeviceTable& table, const CaseStory& story) {
  std::vector<std::string> names;
  for (const DeviceRow* const row : shown_rows(table, story)) {
    const bool is_first = names.empty();
    names.push_back(row->metric);
    if (row->metric == story.time && has_p99(story)) names.emplace_back("p99");
    names.emplace_back("won");
    if (row->metric == story.time && has_scaling(table, story))
      names.emplace_back("scaling efficiency");
    if (is_first && story.has_accuracy())
      names.insert(names.end(), {"accuracy", "difference", "visible loss"});
  }
  return names;
}

double total_of(const std::vector<StepShare>& phases) {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [](double sum, const StepShare& one) { return sum + one.second; });
}

/// Seconds of the whole step, from its phases or, where it has none, from its time.
double length_of(const DeviceTable& table, const CaseStory& story, std::size_t i) {
  if (!story.variants[i].phases.empty()) return total_of(story.variants[i].phases);
  for (const DeviceRow* const row : shown_rows(table, story))
    if (row->metric == story.time) return row->cells[i].value.value_or(0);
  return 0;
}

std::string phase_words(std::string_view phase) {
  std::string words(phase);
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// The series of a phase, which has the same colour in every bar.
std::size_t series_of(std::string_view phase) {
  return std::size_t(std::ranges::find(kPhases, phase) - kPhases.begin());
}

PageData part_data(const std::string& tone, const std::string& name, double share) {
  return {{"tone", tone},
          {"name", share >= kWidthOfName ? name : ""},
          {"width", fmt::format("{:.2f}", 100 * share)}};
}

PageData bar_data(const DeviceTable& table, const CaseStory& story, std::size_t i, double longest) {
  const VariantStory& one = story.variants[i];
  const std::string& name = table.columns[i].name;
  const double length = length_of(table, story, i);
  PageData parts = PageData::array();
  std::string words;
  for (const auto& [phase, seconds] : one.phases) {
    parts.push_back(part_data(fmt::format("series-{}", series_of(phase)), phase_words(phase),
                              seconds / longest));
    words += fmt::format("{}{} {} ({})", words.empty() ? "" : ", ", phase_words(phase),
                         quantity_text(seconds, "s"), share_text(seconds / length));
  }
  std::string note;
  if (one.phases.empty() && length > 0) {
    note = name.find("graph=true") != name.npos ? "whole step: a CUDA graph has no phases"
                                                : "whole step: its phases were not measured";
    words = note;
    parts.push_back(part_data("base", "", length / longest));
  }
  if (parts.empty()) words = "not measured";
  return {{"name", name},
          {"note", note},
          {"parts", std::move(parts)},
          {"words", words},
          {"total", length > 0 ? quantity_text(length, "s") : "–"}};
}

/// "Of a step of none, backward takes 52 %."
std::string answer_of(const DeviceTable& table, const CaseStory& story) {
  const std::vector<StepShare>& phases = story.variants[table.reference].phases;
  if (phases.empty()) return "";
  const auto most = std::ranges::max_element(phases, {}, &StepShare::second);
  return fmt::format("With {}, {} takes {} of the step.", table.columns[table.reference].name,
                     phase_words(most->first), share_text(most->second / total_of(phases)));
}

PageData step_data(const DeviceTable& table, const CaseStory& story) {
  double longest = 0;
  for (std::size_t i = 0; i < story.variants.size(); ++i)
    longest = std::max(longest, length_of(table, story, i));
  PageData bars = PageData::array();
  for (std::size_t i = 0; i < story.variants.size(); ++i)
    if (story.variants[i].has_case) bars.push_back(bar_data(table, story, i, longest));
  return {{"case", case_data(story.case_id)},
          {"answer", answer_of(table, story)},
          {"bars", std::move(bars)}};
}

bool has_data(const DeviceTable& table) {
  return std::ranges::any_of(table.stories, [](const CaseStory& story) {
    return std::ranges::any_of(story.variants, [](const VariantStory& one) {
      return !one.phases.empty() && one.phases.front().first == kData;
    });
  });
}

std::string left_out(std::size_t all) {
  return all > kMostCases ? counted(all - kMostCases, "more case") + "." : "";
}

}  // namespace

PageData story_data(const DeviceTable& table) {
  const bool is_of_networks = std::ranges::any_of(table.stories, [](const CaseStory& story) {
    return story.has_accuracy() || story.has_phases();
  });
  if (table.stories.empty() || (table.stories.size() > kMostCases && !is_of_networks))
    return nullptr;
  PageData cases = PageData::array();
  for (const CaseStory& story : table.stories) {
    if (cases.size() == kMostCases) break;
    PageData variants = PageData::array();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (story.variants[i].has_case) variants.push_back(variant_data(table, story, i));
    cases.push_back({{"case", case_data(story.case_id)},
                     {"header", header_of(table, story)},
                     {"variants", std::move(variants)}});
  }
  return {{"reference", table.columns[table.reference].name},
          {"cases", std::move(cases)},
          {"left", left_out(table.stories.size())}};
}

PageData steps_data(const DeviceTable& table) {
  PageData cases = PageData::array();
  std::size_t all = 0;
  for (const CaseStory& story : table.stories)
    if (story.has_phases() && ++all <= kMostCases) cases.push_back(step_data(table, story));
  if (cases.empty()) return nullptr;
  PageData key = PageData::array();
  for (std::size_t i = 0; i < kPhases.size(); ++i)
    if (kPhases[i] != kData || has_data(table))
      key.push_back({{"tone", fmt::format("series-{}", i)}, {"name", phase_words(kPhases[i])}});
  return {{"cases", std::move(cases)}, {"key", std::move(key)}, {"left", left_out(all)}};
}

}  // namespace plumbline
