#include "reports/devices/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/words.h"
#include "reports/devices/accuracy_text.h"
#include "reports/devices/texts.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::string_view kTimesSign = "×";
constexpr double kPercentUntil = 1.1;        // ratios nearer to 1 are shown in percent
constexpr double kRangePercentUntil = 1.25;  // the same for both ends of a range

bool is_within(double ratio, double limit) { return ratio < limit && ratio > 1 / limit; }

/// Devices are fast if the table has times; for other metrics they are good.
struct Words {
  std::string_view good = "good", better = "better", worse = "worse", best = "best",
                   worst = "worst";
};

Words words_of(const DeviceTable& table) {
  const bool are_times = std::ranges::any_of(
      table.rows, [](const DeviceRow& row) { return row.is_common && row.unit == "s"; });
  return are_times ? Words{"fast", "faster", "slower", "fastest", "slowest"} : Words{};
}

/// "8 % slower", "equal".
std::string percent_words(double ratio, const Words& words) {
  const double change = std::abs(ratio - 1);
  if (change < 5e-4) return "equal";
  return share_text(change) + " " + std::string(ratio > 1 ? words.better : words.worse);
}

/// "1.47 times as fast as H200", "0.3 % slower than H200".
std::string mean_words(double ratio, const std::string& name, const Words& words) {
  if (!is_within(ratio, kPercentUntil))
    return fmt::format("{} times as {} as {}", ratio_text(ratio).substr(kTimesSign.size()),
                       words.good, name);
  const std::string told = percent_words(ratio, words);
  return told == "equal" ? fmt::format("as {} as {}", words.good, name) : told + " than " + name;
}

/// ", 0.25 to 3.2 times by case"; "" for a single case.
std::string range_words(const DeviceTable& table, const DeviceSummary& one, const Words& words) {
  if (table.common < 2) return "";
  const double least = *one.least_ratio, greatest = *one.greatest_ratio;
  if (ratio_text(least) == ratio_text(greatest)) return ", the same in every case";
  if (is_within(least, kRangePercentUntil) && is_within(greatest, kRangePercentUntil)) {
    const std::string from = percent_words(least, words);
    return fmt::format(", {}{} to {} by case", from == "equal" ? "from " : "", from,
                       percent_words(greatest, words));
  }
  const int digits = greatest < 1.5 * least ? 3 : 2;
  // After a mean in percent, the text has not yet said what "times" refers to.
  const std::string as =
      is_within(*one.mean_ratio, kPercentUntil) ? fmt::format(" as {}", words.good) : "";
  return fmt::format(", {:.{}g} to {:.{}g} times{} by case", least, digits, greatest, digits, as);
}

std::string compared_words(const DeviceTable& table, std::size_t i, const Words& words) {
  const DeviceSummary& one = table.summaries[i];
  return mean_words(*one.mean_ratio, table.columns[table.reference].name, words) +
         (table.common < 2 ? "" : " on average") + range_words(table, one, words);
}

std::vector<std::size_t> compared(const DeviceTable& table) {
  std::vector<std::size_t> order = fastest_first(table);
  std::erase_if(order, [&](std::size_t i) { return !table.summaries[i].is_compared; });
  return order;
}

std::string names_of(const DeviceTable& table, const std::vector<std::size_t>& columns) {
  std::vector<std::string_view> names;
  for (const std::size_t i : columns) names.push_back(table.columns[i].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "; without A100 they would be 550": the device whose removal would add the most common rows, if
/// it adds a tenth or more.
std::string narrowest_words(const DeviceTable& table) {
  std::map<std::size_t, std::size_t> gains;  // rows that a single compared column lacks
  for (const DeviceRow& row : table.rows) {
    if (!row.is_summed_up) continue;
    std::vector<std::size_t> lacking;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (table.summaries[i].is_compared && !row.cells[i].ratio) lacking.push_back(i);
    if (lacking.size() == 1 && lacking.front() != table.reference) ++gains[lacking.front()];
  }
  if (gains.empty()) return "";
  const auto [column, gain] =
      *std::ranges::max_element(gains, {}, [](const auto& one) { return one.second; });
  if (10 * gain < table.common || table.columns.size() < 3) return "";
  return fmt::format("; without {} they would be {}", table.columns[column].name,
                     table.common + gain);
}

void add_common(const DeviceTable& table, std::vector<std::string>& texts) {
  if (table.common == 0) return;
  std::vector<std::size_t> left_out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!table.summaries[i].is_compared) left_out.push_back(i);
  const std::size_t count = table.columns.size() - left_out.size();
  const std::string_view word = column_word(table);
  std::string text = fmt::format("Means and ranges are over the {} that {} {}s have",
                                 table.common == 1 ? "only case" : common_words(table),
                                 count == 2 ? "both" : fmt::format("all {}", count), word);
  text += fmt::format(", of {} rows", table.rows.size()) + narrowest_words(table) + ".";
  if (!left_out.empty())
    text += fmt::format(" Too few in common for a mean: {}.", names_of(table, left_out));
  texts.push_back(std::move(text));
}

/// Half widths of the intervals of a pair's common cases, in logarithms.
std::vector<double> half_widths(const DeviceTable& table) {
  std::vector<double> halves;
  if (table.columns.size() != 2) return halves;
  for (const DeviceRow& row : table.rows)
    if (const DeviceCell& cell = row.cells[1 - table.reference]; row.is_common && cell.ratio_low)
      halves.push_back(std::log(*cell.ratio_high / *cell.ratio_low) / 2);
  return halves;
}

/// " 2 of the 40 cases are faster by more than their interval, 3 slower.": the direction of a
/// pair's cases; "" if none has an interval.
std::string both_ways(const DeviceTable& table, const Words& words) {
  const std::size_t told = half_widths(table).size();
  if (told == 0) return "";
  const DeviceSummary& one = table.summaries[1 - table.reference];
  const bool is_any = one.better + one.worse > 0;
  if (told == 1) return is_any ? "" : " The difference lies within its interval.";
  const std::string cases = told == table.common ? common_words(table) : counted(told, "value");
  if (!is_any) return fmt::format(" None of the {} differs by more than its interval.", cases);
  return fmt::format(" Of the {}, {} are {} by more than their interval, {} {}.", cases, one.better,
                     words.better, one.worse, words.worse);
}

void add_hidden(const DeviceTable& table, std::vector<std::string>& texts) {
  const std::vector<double> halves = half_widths(table);
  if (halves.empty()) return;
  const DeviceSummary& one = table.summaries[1 - table.reference];
  if (halves.size() <= one.better + one.worse) return;  // nothing is hidden
  const auto told = [](double half) { return "± " + share_text(std::expm1(half)); };
  const std::string middle = told(median(halves)), most = told(std::ranges::max(halves));
  texts.push_back("An interval (99 %) can hide a difference of its half width: " +
                  (middle == most ? most : middle + " in half of the cases, " + most + " at most") +
                  ".");
}

void add_cards(const DeviceTable& table, std::vector<std::string>& texts) {
  if (table.are_variants) {
    std::set<std::string> cards;
    for (const DeviceColumn& column : table.columns)
      cards.insert(column.run->info.environment.device_uuid());
    if (cards.size() > 1)
      texts.push_back(
          fmt::format("The runs are of {} cards: what cards of one model differ by is in every ×.",
                      cards.size()));
    return;
  }
  if (!table.cards) return;
  texts.push_back(
      fmt::format("{} cards of {} differ by {} (standard deviation, over all cases). Intervals of "
                  "means, and of "
                  "cases with two visits, are 99 % and hold this spread between cards.",
                  table.cards->cards, fmt::join(table.cards->models, ", "),
                  share_text(table.cards->deviation)));
}

std::string intervals_caveat(const DeviceTable& table) {
  const std::string& first = table.columns.front().run->path;
  if (std::ranges::all_of(table.columns,
                          [&](const DeviceColumn& column) { return column.run->path == first; }))
    return "Intervals (99 %) are over visits of one run, in which all of them were measured.";
  return "Intervals (99 %) are over visits of these runs; what whole runs" +
         std::string(table.are_variants || table.cards ? "" : " and devices of one model") +
         " differ by comes on top.";
}

void add_visits(const DeviceTable& table, std::vector<std::string>& texts) {
  std::size_t single = 0, all = 0;
  for (const DeviceRow& row : table.rows)
    for (const DeviceCell& cell : row.cells)
      if (cell.value) ++all, single += cell.visits < 2 ? 1 : 0;
  if (single > 0)
    texts.push_back(fmt::format(
        "{} of {} values are of one visit: they have no interval, and what they vary by is not "
        "known.",
        single, all));
  if (single < all) texts.push_back(intervals_caveat(table));
}

/// " NVIDIA H100 does the most work for the money: 1.21 times as much as NVIDIA H200."; "" if fewer
/// than two can be compared.
std::string money_words(const DeviceTable& table) {
  std::vector<std::size_t> priced;
  for (std::size_t i = 0; i < table.summaries.size(); ++i)
    if (table.summaries[i].work_ratio) priced.push_back(i);
  if (priced.size() < 2) return "";
  const std::size_t best = *std::ranges::max_element(
      priced, {}, [&](std::size_t i) { return *table.summaries[i].work_ratio; });
  std::string answer = " " + table.columns[best].name + " does the most work for the money";
  if (priced.size() < compared(table).size())
    answer += fmt::format(" of the {} with a price", priced.size());
  if (best == table.reference) return answer + ".";
  return fmt::format("{}: {} times as much as {}.", answer,
                     ratio_text(*table.summaries[best].work_ratio).substr(kTimesSign.size()),
                     table.columns[table.reference].name);
}

/// The difference between cards of one model: no card is recommended.
std::string cards_sentence(const DeviceTable& table, const std::vector<std::size_t>& order,
                           const Words& words) {
  const bool is_first = order.front() == table.reference;
  const std::size_t other = is_first ? order.back() : order.front();
  return fmt::format("{} cards of {} differ by {}. The {}, {}, is {}.", table.cards->cards,
                     table.cards->models.front(), share_text(table.cards->deviation),
                     is_first ? words.worst : words.best, table.columns[other].name,
                     compared_words(table, other, words));
}

/// That no case of a column differs from the reference by more than its interval; "" if one does,
/// or none has an interval.
std::string within_intervals(const DeviceTable& table, std::size_t column) {
  const DeviceSummary& one = table.summaries[column];
  const bool are_known = std::ranges::any_of(table.rows, [&](const DeviceRow& row) {
    return row.is_common && row.cells[column].ratio_low;
  });
  if (!are_known || one.better + one.worse > 0) return "";
  return fmt::format(" None of its cases differs from {} by more than its interval.",
                     table.columns[table.reference].name);
}

/// Which one is the fastest, and how much.
std::string speed_sentence(const DeviceTable& table) {
  const std::vector<std::size_t> order = compared(table);
  const Words words = words_of(table);
  const auto& name = [&](std::size_t i) { return table.columns[i].name; };
  if (table.common == 0 || order.size() < 2)
    return fmt::format("Nothing can be set beside {}: no case has a ratio to it.",
                       name(table.reference));
  const std::size_t best = order.front();
  if (order.size() == 2) {
    const std::size_t other = best == table.reference ? order[1] : best;
    return fmt::format("{} is {}.{}{}", name(other), compared_words(table, other, words),
                       both_ways(table, words), money_words(table));
  }
  if (table.cards && table.cards->cards == table.columns.size() && table.cards->models.size() == 1)
    return cards_sentence(table, order, words) + money_words(table);
  const std::string answer =
      fmt::format("{} is the {} of {}", name(best), words.best, order.size());
  const std::string how =
      best == table.reference
          ? fmt::format("; the next, {}, is {}.", name(order[1]),
                        compared_words(table, order[1], words)) +
                within_intervals(table, order[1])
          : ": " + compared_words(table, best, words) + "." + within_intervals(table, best);
  return answer + how + money_words(table);
}

}  // namespace

std::string common_words(const DeviceTable& table) {
  std::set<std::pair<std::string_view, std::string_view>> cases;
  for (const DeviceRow& row : table.rows)
    if (row.is_common) cases.emplace(row.suite, row.case_id);
  const std::string words = counted(cases.size(), "case");
  return cases.size() == table.common ? words : fmt::format("{} values of {}", table.common, words);
}

std::string devices_sentence(const DeviceTable& table) {
  const std::string cost = accuracy_sentence(table);
  return (cost.empty() ? "" : cost + " ") + speed_sentence(table);
}

std::vector<std::string> devices_notes(const DeviceTable& table) {
  std::vector<std::string> texts{fmt::format(
      "× says how many times as {} as the reference, {}: ×2 takes half the time (memory, energy). "
      "Larger is better in every × column.",
      words_of(table).good, table.columns[table.reference].name)};
  add_common(table, texts);
  add_hidden(table, texts);
  add_cards(table, texts);
  std::ranges::move(accuracy_notes(table), std::back_inserter(texts));
  return texts;
}

std::vector<std::string> devices_doubts(const DeviceTable& table) {
  std::vector<std::string> texts;
  add_visits(table, texts);
  const auto calibrated =
      static_cast<std::size_t>(std::ranges::count_if(table.columns, &DeviceColumn::is_calibrated));
  if (calibrated < table.columns.size())
    texts.push_back(fmt::format("{} of {} {}s were not calibrated: no share of {} peak is known.",
                                table.columns.size() - calibrated, table.columns.size(),
                                column_word(table), table.are_variants ? "the device's" : "their"));
  if (!table.unmeasured.empty()) texts.push_back(table.unmeasured);
  return texts;
}

std::string price_note(const DeviceTable& table) {
  std::vector<std::size_t> unpriced;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].price_per_h) unpriced.push_back(i);
  if (unpriced.size() == table.columns.size()) return "";
  const std::string text =
      "Work for the money: how many times the reference's work for the same price; /M is the price "
      "of a million launches.";
  if (!table.columns[table.reference].price_per_h)
    return text + fmt::format(
                      " It is not known of any {}: the reference, {}, has no price. Give one with "
                      "--price, or name another --reference.",
                      column_word(table), table.columns[table.reference].name);
  return text +
         (unpriced.empty() ? "" : " No price was given for: " + names_of(table, unpriced) + ".");
}

std::vector<std::string> devices_caveats(const DeviceTable& table) {
  std::vector<std::string> texts = devices_notes(table);
  if (std::string prices = price_note(table); !prices.empty()) texts.push_back(std::move(prices));
  std::ranges::move(devices_doubts(table), std::back_inserter(texts));
  return texts;
}

}  // namespace plumbline
