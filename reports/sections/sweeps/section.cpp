/// Sweeps: a metric over an axis, its change over two axes, backends compared, the roofline.
/// Scripts draw the pictures from the table's rows; this adds the data that rows lack.
#include "reports/section.h"

#include <cmath>

#include "reports/markup.h"
#include "reports/sections/sweeps/rivals.h"

namespace plumbline {
namespace {

PageData content(const ReportModel& model) {
  return model.cases.empty() ? PageData() : PageData::object();
}

std::string data(const ReportModel& model, std::size_t) {
  const RunInfo& info = model.input.candidate->info;
  PageData roofs = PageData::object();  // rates that this device was calibrated to reach
  for (const auto& [name, value] : info.calibration)
    if (name.ends_with("_per_s") && value > 0) roofs[name] = value;
  const auto known = [](double value) { return std::isfinite(value) ? value : 0; };
  PageData flops = PageData::array(), bytes = PageData::array(), rivals = PageData::array();
  for (const CaseView& view : model.cases) {  // 0 if unknown
    flops.push_back(known(view.flops));
    bytes.push_back(known(view.bytes));
  }
  for (const Rival& rival : make_rivals(model))  // 0 without an interval
    rivals.push_back({rival.row, rival.best, int(rival.is_behind()), rival.times.value,
                      rival.times.low.value_or(0), rival.times.high.value_or(0)});
  return script_json({{"device", info.environment.device_model},
                      {"in_tf32", info.environment.numerics.find("tf32 on") != std::string::npos},
                      {"roofs", std::move(roofs)},
                      {"flops", std::move(flops)},
                      {"bytes", std::move(bytes)},
                      {"rivals", std::move(rivals)}});
}

}  // namespace

Section sweeps_section() { return {"sweeps", 45, content, data}; }

}  // namespace plumbline
