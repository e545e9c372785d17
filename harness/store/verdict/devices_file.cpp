#include "store/verdict/devices_file.h"

#include <cmath>
#include <functional>

#include "store/csv/column.h"
#include "store/csv/csv_writer.h"
#include "store/json/json_fields.h"

namespace plumbline {

void describe(JsonWriter& io, const EnvironmentChange& change) {
  io("name", change.name);
  io("label", change.label);
  io("reference", change.baseline);
  io("device", change.candidate);
}

void describe(JsonWriter& io, const DeviceCell& cell) {
  io("value", cell.value);
  io("low", cell.low);
  io("high", cell.high);
  io("visits", cell.visits);
  io("ratio", cell.ratio);
  io("ratio_low", cell.ratio_low);
  io("ratio_high", cell.ratio_high);
  io("flops_per_s", cell.flops_per_s);
  io("bytes_per_s", cell.bytes_per_s);
  io("share_of_peak", cell.share);
  io("price_of_million_launches", cell.price);
  io("energy_at_given_power", cell.energy);
  io("error_rel_l2", cell.error);
  io("tolerance", cell.tolerance);
  io("reason", cell.reason);
}

void describe(JsonWriter& io, const DeviceSummary& summary) {
  io("cases", summary.cases);
  io("refused", summary.refused);
  io("absent", summary.absent);
  io("compared", summary.is_compared);
  io("mean_ratio", summary.mean_ratio);
  io("mean_low", summary.mean_low);
  io("mean_high", summary.mean_high);
  io("median_ratio", summary.median_ratio);
  io("least_ratio", summary.least_ratio);
  io("greatest_ratio", summary.greatest_ratio);
  io("work_for_the_money_ratio", summary.work_ratio);
}

namespace {

/// The columns of the CSV: first those of the row, then those of its cell on a device.
struct Field {
  std::string_view name;
  std::function<std::string(const DeviceRow&, const DeviceColumn&, const DeviceCell&)> text;
};

std::string number_field(std::optional<double> number) {
  std::string text;
  if (number) append_number(text, *number);
  return text;
}

Field number(std::string_view name, std::optional<double> DeviceCell::*member) {
  return {name, [member](const DeviceRow&, const DeviceColumn&, const DeviceCell& cell) {
            return number_field(cell.*member);
          }};
}

Field text(std::string_view name, std::string DeviceRow::*member) {
  return {name, [member](const DeviceRow& row, const DeviceColumn&, const DeviceCell&) {
            return row.*member;
          }};
}

const std::vector<Field>& fields() {
  static const std::vector<Field> kFields{
      text("suite", &DeviceRow::suite),
      text("case", &DeviceRow::case_id),
      text("op", &DeviceRow::op),
      text("backend", &DeviceRow::backend),
      text("metric", &DeviceRow::metric),
      text("unit", &DeviceRow::unit),
      {"device", [](const auto&, const DeviceColumn& column, const auto&) { return column.name; }},
      number("value", &DeviceCell::value),
      number("low", &DeviceCell::low),
      number("high", &DeviceCell::high),
      {"visits", [](const auto&, const auto&,
                    const DeviceCell& cell) { return std::to_string(cell.visits); }},
      number("ratio", &DeviceCell::ratio),
      number("ratio_low", &DeviceCell::ratio_low),
      number("ratio_high", &DeviceCell::ratio_high),
      number("flops_per_s", &DeviceCell::flops_per_s),
      number("bytes_per_s", &DeviceCell::bytes_per_s),
      number("share_of_peak", &DeviceCell::share),
      number("price_of_million_launches", &DeviceCell::price),
      number("energy_at_given_power", &DeviceCell::energy),
      number("error_rel_l2", &DeviceCell::error),
      {"reason", [](const auto&, const auto&, const DeviceCell& cell) { return cell.reason; }},
  };
  return kFields;
}

}  // namespace

std::string devices_json(const DeviceTable& table) {
  Json json = Json::object();
  json["format"] = kFormatVersion;
  json["reference"] = table.columns[table.reference].name;
  json["ratio"] =
      "the reference's value / the device's: 2 is half the time; reversed for what is better when "
      "more";
  json["means_over_rows"] = table.common;
  if (!table.currency.empty()) json["currency"] = table.currency;
  if (table.cards)
    json["card_spread"] = {{"models", table.cards->models},
                           {"cards", table.cards->cards},
                           {"relative_deviation", table.cards->deviation}};
  json["devices"] = Json::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const DeviceColumn& column = table.columns[i];
    JsonWriter io;
    io("name", column.name);
    io("device_class", column.run->info.environment.device_class);
    io("run", column.run->path);
    io("price_per_h", column.price_per_h);
    io("power_w", column.power_w);
    io("calibrated", column.is_calibrated);
    io("stack_differences", column.stack);
    io("summary", table.summaries[i]);
    json["devices"].push_back(io.object());
  }
  if (!table.unmeasured.empty()) json["unmeasured"] = table.unmeasured;
  json["cases"] = Json::array();
  for (const DeviceRow& row : table.rows) {
    JsonWriter io;
    io("suite", row.suite);
    io("case", row.case_id);
    io("metric", row.metric);
    io("unit", row.unit);
    io("in_means", row.is_common);
    io("flops", std::isnan(row.flops) ? std::nullopt : std::optional(row.flops));
    io("bytes", std::isnan(row.bytes) ? std::nullopt : std::optional(row.bytes));
    io("devices", row.cells);
    json["cases"].push_back(io.object());
  }
  return json_text(json);
}

std::string devices_csv(const DeviceTable& table) {
  std::string out;
  for (const Field& field : fields())
    append_csv_field(out, field.name, &field == &fields().front());
  end_csv_row(out);
  for (const DeviceRow& row : table.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      for (const Field& field : fields())
        append_csv_field(out, field.text(row, table.columns[i], row.cells[i]),
                         &field == &fields().front());
      end_csv_row(out);
    }
  return out;
}

}  // namespace plumbline
