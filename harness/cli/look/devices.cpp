/// plumbline devices: compares device models side by side.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/devices/device_table.h"
#include "cli/command.h"
#include "cli/text_files.h"
#include "core/error.h"
#include "core/words.h"
#include "reports/devices/headline.h"
#include "reports/devices/page.h"
#include "reports/devices/texts.h"
#include "reports/units.h"
#include "store/csv/column.h"
#include "store/file.h"
#include "store/verdict/devices_file.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/results/input_runs.h"

namespace plumbline {
namespace {

struct DevicesFlags {
  std::vector<std::string> runs, prices, powers;
  std::string output, csv, markdown, title;
  DeviceOptions options;
  bool json = false;
};

/// "H200=700", and the unit after the number.
struct GivenNumber {
  NamedNumber number;
  std::string unit;
};

GivenNumber given_number(std::string_view flag, const std::string& text, std::string_view form) {
  const std::size_t equals = text.rfind('=');
  const std::size_t from = equals == text.npos ? 0 : equals + 1;
  const std::size_t until = std::min(text.find_first_not_of("0123456789.", from), text.size());
  GivenNumber made;
  if (equals == text.npos || equals == 0 ||
      !parse_number(std::string_view(text).substr(from, until - from), made.number.value) ||
      !(made.number.value > 0) || made.number.value > 1e12)
    throw Error(fmt::format("{} {}: expected {}, above 0", flag, text, form));
  made.number.name = text.substr(0, equals);
  made.unit = text.substr(std::min(text.find_first_not_of(' ', until), text.size()));
  return made;
}

/// Parses "H200=3.2 USD/h". All prices must have the same currency, or none.
void add_price(const std::string& text, DeviceOptions& options) {
  constexpr std::string_view kForm = "DEVICE=NUMBER CURRENCY/h, H200=3.2 USD/h";
  auto [number, currency] = given_number("--price", text, kForm);
  if (currency.ends_with("/h")) currency.resize(currency.size() - 2);
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (!currency.empty() && (currency.size() != 3 || !std::ranges::all_of(currency, is_capital)))
    throw Error(
        fmt::format("--price {}: expected {}; a currency is three capital letters", text, kForm));
  if (!options.prices.empty() && currency != options.currency)
    throw Error(fmt::format("--price {}: expected all prices in one currency; {} is in {}", text,
                            options.prices.front().name,
                            options.currency.empty() ? "none" : options.currency));
  options.currency = std::move(currency);
  options.prices.push_back(std::move(number));
}

void add_power(const std::string& text, DeviceOptions& options) {
  constexpr std::string_view kForm = "DEVICE=NUMBER or DEVICE=NUMBERW";
  auto [number, unit] = given_number("--power", text, kForm);
  if (!unit.empty() && unit != "W")
    throw Error(fmt::format("--power {}: expected {}, above 0", text, kForm));
  options.powers.push_back(std::move(number));
}

/// A letter for a device, if more devices are shown than fit into a line.
std::string letter(std::size_t i) {
  const std::string last(1, static_cast<char>('A' + i % 26));
  return i < 26 ? last : letter(i / 26 - 1) + last;
}

std::string models_text(const DeviceTable& table) {
  using enum Fit;
  std::vector<Table::Column> columns{{""},
                                     {"device"},
                                     {"×", number},
                                     {"least", number},
                                     {"median", number},
                                     {"greatest", number},
                                     {"cases", number},
                                     {"no ratio", number}};
  const bool is_priced = !price_note(table).empty();
  if (is_priced) columns.push_back({"work for the money", number});
  Table shown(std::move(columns));
  for (const std::size_t i : fastest_first(table)) {
    const DeviceSummary& one = table.summaries[i];
    std::vector<Table::Cell> cells{{letter(i)},
                                   {table.columns[i].name},
                                   {mean_text(table, i), Colour::bold},
                                   {ratio_or_dash(one.least_ratio)},
                                   {ratio_or_dash(one.median_ratio)},
                                   {ratio_or_dash(one.greatest_ratio)},
                                   {std::to_string(one.cases)},
                                   {std::to_string(one.refused + one.absent)}};
    if (is_priced) cells.push_back({ratio_or_dash(one.work_ratio)});
    shown.add(std::move(cells));
  }
  return shown.text();
}

std::string cell_text(const DeviceTable& table, std::size_t i, const DeviceRow& row) {
  const DeviceCell& cell = row.cells[i];
  if (!cell.value) return "–";
  std::string text = quantity_text(*cell.value, row.unit);  // as many digits as the ratio
  if (i != table.reference) text += " " + ratio_or_dash(cell.ratio);
  if (cell.share) text += " " + share_text(*cell.share);
  if (cell.price) text += " " + price_text(table, *cell.price) + "/M";
  if (cell.energy) text += " " + quantity_text(*cell.energy, "J");
  return text;
}

std::string cases_text(const DeviceTable& table) {
  std::vector<Table::Column> columns{{"case", Fit::id}, {"metric", Fit::id}};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    columns.push_back({letter(i), Fit::number});
  Table shown(columns);
  for (const DeviceRow& row : table.rows) {
    std::vector<Table::Cell> cells{{row.case_id}, {row.metric}};
    for (std::size_t i = 0; i < row.cells.size(); ++i) cells.push_back({cell_text(table, i, row)});
    shown.add(std::move(cells));
  }
  return shown.text();
}

std::string devices_text(const DeviceTable& table) {
  std::string text = devices_sentence(table) + "\n";
  for (const std::string& caveat : devices_caveats(table)) text += caveat + "\n";
  text += "\n" + models_text(table) + "\n" + cases_text(table);
  for (const DeviceColumn& column : table.columns)
    for (const std::string& stack : stack_texts(column))
      text += fmt::format("{}{}: {}\n", &column == &table.columns.front() ? "\n" : "", column.name,
                          stack);
  const std::vector<DeviceReason> reasons = device_reasons(table);
  if (!reasons.empty()) text += "\nwithout a ratio:\n";
  for (const DeviceReason& one : reasons)
    text += fmt::format("{}, {}: {}\n", one.device, counted(one.rows.size(), "case"), one.reason);
  return text;
}

int show_devices(DevicesFlags flags) {
  if (int(flags.json) + int(is_standard_output(flags.markdown)) +
          int(is_standard_output(flags.csv)) >
      1)
    throw Error("more than one text would go to standard output; give files to all except one");
  for (const std::string& price : flags.prices) add_price(price, flags.options);
  for (const std::string& power : flags.powers) add_power(power, flags.options);
  ConsoleTalk talk;
  const std::vector<Run> runs = read_runs(flags.runs, talk);
  const DeviceTable table = device_table(runs, flags.options);
  if (!flags.csv.empty()) write_text_file(flags.csv, devices_csv(table));
  if (!flags.markdown.empty()) write_text_file(flags.markdown, devices_markdown(table));
  if (!flags.output.empty()) {
    write_atomically(flags.output, render_devices(table, flags.title));
    print_note("written: " + std::filesystem::absolute(flags.output).string());
  }
  if (flags.json)
    print_result(devices_json(table));
  else if (!is_standard_output(flags.markdown) && !is_standard_output(flags.csv))
    print_text(devices_text(table));
  return kExitOk;
}

}  // namespace

Command devices_command() {
  return {
      "devices", "Compare device models: times, ratios, prices", [](CLI::App& app) {
        auto flags = std::make_shared<DevicesFlags>();
        app.add_option("RUN", flags->runs, "a run or baseline of each device, imported ones too")
            ->required();
        app.add_option("--reference", flags->options.reference,
                       "device to compare the others with [the first]")
            ->type_name("DEVICE");
        add_metrics_flag(app, flags->options.metrics, "only these metrics [all judged ones]");
        add_list_flag(app, "--price", flags->prices,
                      "price of one hour, such as H200='3.2 USD/h': adds the price of a million "
                      "launches, and the work per unit of money")
            ->type_name("DEVICE=PRICE/h");
        add_list_flag(app, "--power", flags->powers,
                      "power in W, such as H200=700: adds the energy of one launch")
            ->type_name("DEVICE=W");
        app.add_option("-o,--output", flags->output, "write a page to this file")
            ->type_name("FILE");
        app.add_option("--title", flags->title, "title of the page")->type_name("TEXT");
        add_text_file(app, "--csv", flags->csv, "a row for each case, metric and device");
        app.add_flag("--json", flags->json, "print everything as JSON");
        add_text_file(app, "--markdown", flags->markdown, "the tables as Markdown");
        app.footer(
            "A ratio of ×2 means twice as good as the reference: half the time, memory or "
            "energy, or twice the throughput. In every × column more is better. Means are over "
            "the cases that all devices have. Nothing is judged. A ratio has an interval if "
            "both devices have at least two visits. With several cards of one model, the "
            "interval includes how much cards differ. Results that cannot be compared (another "
            "revision of the problem, metric, unit or numeric switch) show the reason instead "
            "of a ratio.\n\nDEVICE is a whole name, or words of a name, or a part of one. A "
            "whole name wins, then words: B200 is NVIDIA B200 and not NVIDIA GB200. A price may "
            "name its currency by three capital letters (USD). All prices use the same "
            "currency.\nExit codes: 0; 2 a mistake, an unreadable file, or nothing to show.");
        return Action([flags](const auto&) { return show_devices(*flags); });
      }};
}

}  // namespace plumbline
