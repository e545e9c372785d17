#include "reports/devices/accuracy_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/words.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr double kPercent = 100;
constexpr std::size_t kMostNamed = 3;

std::string points_text(double share) { return number_text(share * kPercent, 1) + " points"; }

/// The largest loss of a variant over the cases; nothing where it costs none.
struct Loss {
  std::string variant, case_id;
  double share = 0;
};

/// What the accuracies of all variants come to.
struct Accuracies {
  std::vector<Loss> losses;  // of each variant that costs accuracy, the largest first
  std::size_t compared = 0, fewest = 0, most = 0;  // variants × cases; their pairs of seeds
  std::optional<double> visible;                   // the largest one
  std::size_t measured = 0;
  std::string reason;  // why one has no accuracy
};

void add_variant(const DeviceTable& table, std::size_t column, Accuracies& all) {
  Loss worst{table.columns[column].name, "", 0};
  for (const CaseStory& story : table.stories) {
    const VariantAccuracy& one = story.variants[column].accuracy;
    all.measured += one.mean ? 1 : 0;
    if (!one.reason.empty() && all.reason.empty()) all.reason = one.reason;
    if (!one.difference) continue;
    all.fewest = all.compared == 0 ? one.pairs : std::min(all.fewest, one.pairs);
    all.most = std::max(all.most, one.pairs);
    ++all.compared;
    if (one.visible) all.visible = std::max(all.visible.value_or(0), *one.visible);
    if (one.is_loss && -one.difference->center > worst.share)
      worst = {worst.variant, story.case_id, -one.difference->center};
  }
  if (worst.share > 0) all.losses.push_back(std::move(worst));
}

Accuracies accuracies(const DeviceTable& table) {
  Accuracies all;
  for (std::size_t i = 0; i < table.columns.size(); ++i) add_variant(table, i, all);
  std::ranges::stable_sort(all.losses, std::ranges::greater(), &Loss::share);
  return all;
}

std::string seeds_text(const Accuracies& all) {
  return all.fewest == all.most ? counted(all.most, "seed")
                                : fmt::format("{} to {} seeds", all.fewest, all.most);
}

std::string op_of(const std::string& case_id) { return case_id.substr(0, case_id.find('/')); }

/// "prune=structured costs accuracy: 4.1 points of transformer."
std::string losses_text(const DeviceTable& table, const Accuracies& all) {
  std::vector<std::string> told;
  for (const Loss& loss : all.losses) {
    if (told.size() == kMostNamed) break;
    std::string one = fmt::format("{} {}", loss.variant, points_text(loss.share));
    if (table.stories.size() > 1) one += " (" + op_of(loss.case_id) + ")";
    told.push_back(std::move(one));
  }
  const std::size_t left = all.losses.size() - told.size();
  return fmt::format("{} accuracy: {}{}.",
                     all.losses.size() == 1 ? "One variant costs"
                                            : fmt::format("{} variants cost", all.losses.size()),
                     fmt::join(told, ", "), left > 0 ? fmt::format(", {} more", left) : "");
}

}  // namespace

std::string accuracy_sentence(const DeviceTable& table) {
  const Accuracies all = accuracies(table);
  if (all.measured == 0 && all.reason.empty()) return "";
  if (all.compared == 0)
    return "What variants cost in accuracy is not known" +
           (all.measured > 0
                ? std::string(": it needs two seeds, which are rounds, of two variants.")
                : ": " + all.reason + ".");
  std::string text = all.losses.empty() ? "No variant costs accuracy beyond what " +
                                              seeds_text(all) + " differ by."
                                        : losses_text(table, all);
  if (all.visible)
    text += " A loss below " + points_text(*all.visible) + " could have stayed unseen.";
  return text;
}

std::vector<std::string> accuracy_notes(const DeviceTable& table) {
  const Accuracies all = accuracies(table);
  if (all.compared == 0) return {};
  return {fmt::format(
      "Accuracy is of training anew from {}, each with its standard deviation over them. A "
      "difference is to {} with the same seeds, with its 95 % interval. It is a loss if a "
      "one-sided paired t test finds it at 5 %: of {} without a loss, chance alone would name {}. "
      "A loss that could be seen is found 8 times in 10.",
      seeds_text(all), table.columns[table.reference].name, counted(all.compared, "comparison"),
      number_text(kLossLevel * double(all.compared), 1))};
}

std::string accuracy_text(const VariantAccuracy& accuracy) {
  if (!accuracy.mean) return "–";
  const std::string mean = number_text(*accuracy.mean * kPercent, 1) + "\u00A0%";
  return accuracy.spread ? mean + " ±\u00A0" + number_text(*accuracy.spread * kPercent, 1) : mean;
}

std::string difference_text(const VariantAccuracy& accuracy) {
  if (!accuracy.difference) return "–";
  const auto told = [](double share) { return signed_text(share * kPercent, 1); };
  return fmt::format("{} points [{}, {}]", told(accuracy.difference->center),
                     told(accuracy.difference->low), told(accuracy.difference->high));
}

std::string visible_text(const VariantAccuracy& accuracy) {
  return accuracy.visible ? points_text(*accuracy.visible) : "–";
}

}  // namespace plumbline
