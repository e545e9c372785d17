#include "reports/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "reports/markup.h"
#include "reports/strip.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRuns = 60;                         // in a picture
constexpr std::size_t kDeviceShapes = 4, kSeriesColours = 6;  // as in reports/page.css

const std::string& device_of(const Past& past, std::size_t value) {
  return past.history->runs[past.series->values[value].run].device_uuid;
}

std::size_t device_place(const Past& past, std::size_t value) {
  const auto found = std::ranges::find(past.devices, device_of(past, value));
  return std::size_t(found - past.devices.begin());
}

std::vector<std::string_view> devices_of(const History& history, const Series& series) {
  std::vector<std::string_view> devices;
  for (const PastValue& value : series.values)
    if (const std::string& device = history.runs[value.run].device_uuid;
        std::ranges::find(devices, device) == devices.end())
      devices.push_back(device);
  return devices;
}

std::string_view day_of(const Past& past, std::size_t value) {
  const std::string& started = past.history->runs[past.series->values[value].run].started_at;
  return std::string_view(started).substr(0, 10);
}

double median_of(const Series& series, std::size_t from, std::size_t to) {
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) values.push_back(series.values[i].estimate);
  return median(values);
}

/// The candidate is the last value. It is a level of its own if no other value follows the last
/// change.
std::vector<PastLevel> levels_of(const Series& series, bool has_candidate,
                                 const std::vector<ChangePoint>& changes) {
  std::vector<std::size_t> bounds{0};
  for (const ChangePoint& change : changes) bounds.push_back(change.at);
  const std::size_t others = series.values.size() - (has_candidate ? 1 : 0);
  bounds.push_back(std::max(others, bounds.back() + 1));
  std::vector<PastLevel> levels;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    levels.push_back({bounds[i], bounds[i + 1], median_of(series, bounds[i], bounds[i + 1])});
  return levels;
}

/// The level that the candidate is compared with: the last one that ends before it.
const PastLevel& level_before(const Past& past) {
  const std::size_t last = past.series->values.size() - 1;
  const bool is_own = past.has_candidate && past.levels.back().to > last && past.levels.size() > 1;
  return past.levels[past.levels.size() - (is_own ? 2 : 1)];
}

}  // namespace

Pasts::Pasts(const History* history, const Run& candidate)
    : history_(history), candidate_(candidate) {
  if (history == nullptr) return;
  for (const Series& series : history->series) {
    if (series.device_class != candidate.info.environment.device_class ||
        series.measurement_revision != candidate.info.measurement_revision)
      continue;
    const Series*& kept = series_[{series.suite, series.case_id, series.metric}];
    if (kept == nullptr || kept->values.back().run < series.values.back().run) kept = &series;
  }
}

const Series* Pasts::series_of(const CaseView& view) const {
  const auto found = series_.find({view.suite, view.id, view.metric});
  return found == series_.end() ? nullptr : found->second;
}

std::optional<Past> Pasts::of(const CaseView& view) const {
  const Series* const found = series_of(view);
  if (found == nullptr) return std::nullopt;
  const Series& series = *found;
  const PastRun& last = history_->runs[series.values.back().run];
  Past past{history_, &series, false, {}, devices_of(*history_, series), kUnknown};
  past.has_candidate =
      last.path == candidate_.path && last.started_at == candidate_.info.started_at;
  if (past.has_candidate && series.values.size() < 2) return std::nullopt;
  past.levels = levels_of(series, past.has_candidate, read_series(*history_, series, {}).changes);
  if (past.has_candidate)
    past.change = series.values.back().estimate / level_before(past).level - 1;
  return past;
}

std::string short_device(std::string_view uuid) {
  constexpr std::size_t kShort = 12;  // "GPU-" and the first eight digits
  std::string text;
  while (!uuid.empty()) {
    const std::string_view device = uuid.substr(0, uuid.find(','));
    uuid.remove_prefix(std::min(uuid.size(), device.size() + 1));
    text += text.empty() ? "" : ",";
    text += device.substr(0, device.starts_with("GPU-") ? kShort : device.size());
  }
  return text;
}

std::string past_text(const Past& past) {
  const std::size_t runs = past.series->values.size();
  const PastLevel& level = level_before(past);
  std::string text = fmt::format("{} runs", runs);
  if (past.devices.size() > 1) text += fmt::format(" on {} devices", past.devices.size());
  text += fmt::format(" since {}; ", day_of(past, 0));
  text += level.from > 0 ? fmt::format("the level since {} is ", day_of(past, level.from))
                         : std::string("their level is ");
  text += quantity_text(level.level, past.series->unit) + ", this run ";
  if (!past.has_candidate) return text + "has no value";
  text += change_text(past.change, {}, {}).whole();
  for (std::size_t i = level.from; i < level.to; ++i)
    if (device_of(past, i) == device_of(past, runs - 1)) return text;
  return text + ", on a device that none of them ran on";
}

std::string past_json(const std::optional<Past>& past) {
  if (!past) return "null";
  PageData values = PageData::array(), levels = PageData::array();
  for (std::size_t i = 0; i < past->series->values.size(); ++i) {
    const PastValue& value = past->series->values[i];
    const PastSpread spread = past->series->spread(i);
    values.push_back({value.run, value.estimate, spread.low, spread.high});
  }
  for (const PastLevel& level : past->levels) levels.push_back({level.from, level.to, level.level});
  return script_json({past_text(*past), values, levels, int(past->has_candidate)});
}

std::string runs_json(const History* history) {
  PageData runs = PageData::array();
  if (history != nullptr)
    for (const PastRun& run : history->runs)
      runs.push_back({run.started_at, run.commit.substr(0, 10), short_device(run.device_uuid)});
  return script_json(runs);
}

namespace {

/// Dots of a device in its shape and colour (reports/page.css); plain if there is only one device.
void add_dots(PageData& paths, const Past& past, std::size_t device, const std::string& tone,
              const std::string& d) {
  if (past.devices.size() < 2) {
    paths.push_back(path_data("dots " + tone, d));
    return;
  }
  const std::string colour =
      tone == "base" ? "series-" + std::to_string(device % kSeriesColours) : tone;
  for (const std::string& kind : {colour, std::string("hole")})
    paths.push_back(path_data(fmt::format("dots {} mark-{}", kind, device % kDeviceShapes), d));
}

/// The legend of the marks; null for a single device.
PageData devices_data(const Past& past) {
  if (past.devices.size() < 2) return nullptr;
  PageData marks = PageData::array();
  for (std::size_t i = 0; i < past.devices.size(); ++i) {
    PageData paths = PageData::array();
    add_dots(paths, past, i, "base", "M6 6h0");
    marks.push_back({{"paths", std::move(paths)}, {"name", short_device(past.devices[i])}});
  }
  return {{"marks", std::move(marks)}};
}

/// Covers the estimates and levels from run `first` on, with a small margin.
Axis axis_of(const Past& past, std::size_t first) {
  std::vector<double> seen;
  for (std::size_t i = first; i < past.series->values.size(); ++i)
    seen.push_back(past.series->values[i].estimate);
  for (const PastLevel& level : past.levels)
    if (level.to > first) seen.push_back(level.level);
  const auto [low, high] = std::ranges::minmax(seen);
  const double room = std::max(0.1 * (high - low), 0.005 * high);
  return {low - room, high + room, kStripHeight, 0};
}

}  // namespace

PageData past_strip(const std::optional<Past>& past, std::string_view tone) {
  if (!past) return nullptr;
  const std::vector<PastValue>& values = past->series->values;
  const std::size_t first = values.size() > kMostRuns ? values.size() - kMostRuns : 0;
  const Axis x{double(first) - 0.5, double(values.size()) - 0.5, 0, kStripWidth};
  const Axis y = axis_of(*past, first);
  const auto dot = [&](std::size_t i) {
    return fmt::format("M{:.1f} {:.1f}h0", x.at(double(i)), y.at(values[i].estimate));
  };
  std::vector<std::string> dots(past->devices.size());
  const std::size_t others = values.size() - (past->has_candidate ? 1 : 0);
  for (std::size_t i = first; i < others; ++i) dots[device_place(*past, i)] += dot(i);
  std::string lines;
  for (const PastLevel& level : past->levels)
    if (level.to > first)
      fmt::format_to(std::back_inserter(lines), "M{:.1f} {:.1f}H{:.1f}",
                     x.at(double(std::max(level.from, first)) - 0.5), y.at(level.level),
                     x.at(double(level.to) - 0.5));
  PageData paths = PageData::array();
  paths.push_back(path_data("level base", lines));
  for (std::size_t i = 0; i < dots.size(); ++i) add_dots(paths, *past, i, "base", dots[i]);
  if (past->has_candidate)
    add_dots(paths, *past, device_place(*past, values.size() - 1), fmt::format("now {}", tone),
             dot(values.size() - 1));
  const std::string caption =
      (first > 0 ? fmt::format("The last {} runs, one", values.size() - first)
                 : std::string("One dot a run, one")) +
      " step each whatever the time between them; lines are levels between changes.";
  PageData figure =
      figure_data("strip past", past_text(*past), caption, y, past->series->unit, std::move(paths));
  figure["devices"] = devices_data(*past);
  return figure;
}

}  // namespace plumbline
