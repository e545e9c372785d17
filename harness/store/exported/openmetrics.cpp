#include "store/exported/openmetrics.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/csv/column.h"

namespace plumbline {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// The format wants units in words, at the end of a name.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"s", "seconds"}, {"B", "bytes"}, {"J", "joules"}};

std::string_view unit_word(std::string_view unit) {
  for (const auto& [short_form, word] : kUnits)
    if (short_form == unit) return word;
  return "";
}

void append_labels(std::string& out, const Labels& labels) {
  out += '{';
  for (const auto& [name, value] : labels) {
    if (out.back() != '{') out += ',';
    out.append(name).append("=\"");
    for (const char c : value) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
    out += '"';
  }
  out += '}';
}

/// Families in the order of their names; the samples of one must stand together.
class Families {
 public:
  explicit Families(std::string time) : time_(std::move(time)) {}

  /// `unit`: "" = none. `suffix`: of the samples' names, as the type wants it.
  void add(const std::string& name, std::string_view type, std::string_view unit,
           std::string_view help, const Labels& labels, double value,
           std::string_view suffix = "") {
    std::string& text = families_[name];
    if (text.empty()) {
      text.append("# TYPE ").append(name).append(" ").append(type) += '\n';
      if (!unit.empty()) text.append("# UNIT ").append(name).append(" ").append(unit) += '\n';
      text.append("# HELP ").append(name).append(" ").append(help) += '\n';
    }
    text.append(name).append(suffix);
    append_labels(text, labels);
    text += ' ';
    append_number(text, value);
    text.append(time_) += '\n';
  }

  std::string text() const {
    std::string all;
    for (const auto& [name, text] : families_) all += text;
    return all + "# EOF\n";
  }

 private:
  std::string time_;  // with a blank before it
  std::map<std::string, std::string> families_;
};

void add_run(Families& families, const RunInfo& info, const Labels& of_device) {
  Labels labels = of_device;
  const Environment& environment = info.environment;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"commit", environment.commit},
           {"host", environment.host},
           {"driver", environment.driver},
           {"cuda_runtime", environment.cuda_runtime},
           {"cudnn", environment.cudnn},
           {"libtorch", environment.libtorch}})
    labels.emplace_back(name, value);
  families.add("plumbline_run", "info", "", "The run and what it was measured with.", labels, 1,
               "_info");
  const auto add_time = [&](const std::string& name, const std::string& iso,
                            std::string_view help) {
    if (const auto moment = moment_of(iso))
      families.add(name, "gauge", "seconds", help, of_device, double(moment->seconds));
  };
  add_time("plumbline_run_started_seconds", info.started_at,
           "When the run started, since 1970-01-01T00:00:00Z.");
  add_time("plumbline_run_finished_seconds", info.finished_at, "When the run finished.");
}

/// Its metrics end in the unit; other units are a label.
void add_estimate(Families& families, const CaseSummary& row, Labels labels) {
  const std::string_view unit = unit_word(row.unit);
  const std::string end = unit.empty() ? "" : "_" + std::string(unit);
  if (unit.empty()) labels.emplace_back("unit", row.unit);
  const auto add = [&](std::string_view what, double value, std::string_view help) {
    families.add("plumbline_" + std::string(what) + end, "gauge", unit, help, labels, value);
  };
  add("estimate", row.estimate, "Estimate of a metric of a case, over the run's visits.");
  if (row.low) add("low", *row.low, "Lower end of the estimate's interval over visits.");
  if (row.high) add("high", *row.high, "Upper end of the estimate's interval over visits.");
  if (row.percent_of_peak == row.percent_of_peak)
    families.add("plumbline_peak_ratio", "gauge", "ratio",
                 "Share of the nearer limit of the device: memory bandwidth or matrix products.",
                 labels, row.percent_of_peak / 100);
}

}  // namespace

std::string openmetrics_text(const Run& run, bool with_times) {
  std::string time;
  if (with_times) {
    const auto moment = moment_of(run.info.started_at);
    if (!moment)
      throw Error(run.path +
                  ": run.json does not say when the run started; export it without times");
    time = " " + std::to_string(moment->seconds);
  }
  Families families(time);
  const std::string uuid = run.info.environment.device_uuid();
  const Labels of_device{{"device_class", run.info.environment.device_class}, {"device", uuid}};
  add_run(families, run.info, of_device);
  const std::vector<CaseSummary> rows = summarize(run);
  std::map<std::pair<std::string_view, Status>, double> counts;
  std::pair<std::string_view, std::string_view> last;
  for (const CaseSummary& row : rows) {
    if (last != std::pair<std::string_view, std::string_view>(row.suite, row.case_id))
      ++counts[{row.suite, row.status}];
    last = {row.suite, row.case_id};
    if (row.metric.empty() || row.estimate != row.estimate) continue;
    Labels labels = of_device;
    if (!row.device.empty()) labels.back().second = row.device;
    for (const auto& [name, value] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"suite", row.suite},
             {"case", row.case_id},
             {"op", row.op},
             {"backend", row.backend},
             {"metric", row.metric}})
      labels.emplace_back(name, value);
    add_estimate(families, row, std::move(labels));
  }
  for (const auto& [suite_and_status, count] : counts) {
    Labels labels = of_device;
    labels.emplace_back("suite", suite_and_status.first);
    labels.emplace_back("status", name_of(suite_and_status.second));
    families.add("plumbline_cases", "gauge", "", "Cases of a suite, by how they ended.", labels,
                 count);
  }
  return families.text();
}

}  // namespace plumbline
