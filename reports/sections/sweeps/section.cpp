/// Sweeps: a metric over an axis, its change over two, backends beside each other, the roofline.
/// The pictures are made from the table's rows where they are looked at; what these lack is added
/// here.
#include "reports/section.h"

#include <fmt/format.h>

#include <cmath>

#include "reports/columns.h"
#include "reports/markup.h"
#include "reports/sections/sweeps/rivals.h"

namespace plumbline {
namespace {

PageData content(const ReportModel& model) {
  return model.cases.empty() ? PageData() : PageData::object();
}

/// What this device was calibrated to reach, by name (store/README.md).
std::string roofs_json(const RunInfo& info) {
  std::string json = "{";
  for (const auto& [name, value] : info.calibration) {
    if (!name.ends_with("_per_s") || !(value > 0)) continue;
    if (json.size() > 1) json += ',';
    append_json(json, name);
    json += fmt::format(":{:.6g}", value);
  }
  return json + "}";
}

/// A number of each row, 0 where it is unknown.
template <class Get>
std::string numbers_json(const ReportModel& model, const Get& get) {
  std::string json = "[";
  for (const CaseView& view : model.cases) {
    const double number = get(view);
    json += fmt::format("{}{:.6g}", json.size() > 1 ? "," : "", std::isfinite(number) ? number : 0);
  }
  return json + "]";
}

/// `[[row, best, behind, times, low, high]…]`: low and high are 0 where there is no interval.
std::string rivals_json(const ReportModel& model) {
  std::string json = "[";
  for (const Rival& rival : make_rivals(model))
    json += fmt::format("{}[{},{},{:d},{:.4g},{:.4g},{:.4g}]", json.size() > 1 ? "," : "",
                        rival.row, rival.best, rival.is_behind(), rival.times.value,
                        rival.times.low.value_or(0), rival.times.high.value_or(0));
  return json + "]";
}

std::string data(const ReportModel& model, std::size_t) {
  const RunInfo& info = model.input.candidate->info;
  std::string device;
  append_json(device, info.environment.device_model);
  return fmt::format(
      "{{\"device\":{},\"in_tf32\":{},\"roofs\":{},\"flops\":{},\"bytes\":{},"
      "\"rivals\":{}}}",
      device, info.environment.numerics.find("tf32 on") != std::string::npos, roofs_json(info),
      numbers_json(model, [](const CaseView& view) { return view.flops; }),
      numbers_json(model, [](const CaseView& view) { return view.bytes; }), rivals_json(model));
}

}  // namespace

Section sweeps_section() { return {"sweeps", 45, content, data}; }

}  // namespace plumbline
