/// plumbline devices: device models side by side.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/devices/device_table.h"
#include "cli/command.h"
#include "core/error.h"
#include "core/words.h"
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
  std::string output, csv, title;
  DeviceOptions options;
  bool json = false, markdown = false;
};

/// "H200=3.2/h" with the suffix "/h", which may be left out.
NamedNumber named_number(std::string_view flag, const std::string& text, std::string_view suffix) {
  const std::size_t equals = text.rfind('=');
  std::string_view number = std::string_view(text).substr(equals == text.npos ? 0 : equals + 1);
  if (number.ends_with(suffix)) number.remove_suffix(suffix.size());
  NamedNumber made;
  if (equals == text.npos || equals == 0 || !parse_number(number, made.value) ||
      !(made.value > 0) || made.value > 1e12)
    throw Error(fmt::format("{} {}: expected DEVICE=NUMBER or DEVICE=NUMBER{}, above 0", flag, text,
                            suffix));
  made.name = text.substr(0, equals);
  return made;
}

/// Where there are more devices than fit into a line, they go by letters.
std::string letter(std::size_t i) {
  const std::string last(1, static_cast<char>('A' + i % 26));
  return i < 26 ? last : letter(i / 26 - 1) + last;
}

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? ratio_text(*ratio) : "–";
}

std::string models_text(const DeviceTable& table) {
  using enum Fit;
  Table shown({{""},
               {"device"},
               {"×", number},
               {"least", number},
               {"median", number},
               {"greatest", number},
               {"cases", number},
               {"no ratio", number},
               {"price", number}});
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const DeviceSummary& one = table.summaries[i];
    const bool is_reference = i == table.reference;
    shown.add({{letter(i)},
               {table.columns[i].name},
               {is_reference ? "reference" : ratio_or_dash(one.mean_ratio), Colour::bold},
               {ratio_or_dash(one.least_ratio)},
               {ratio_or_dash(one.median_ratio)},
               {ratio_or_dash(one.greatest_ratio)},
               {std::to_string(one.cases)},
               {std::to_string(one.refused + one.absent)},
               {ratio_or_dash(one.price_ratio)}});
  }
  return shown.text();
}

std::string cell_text(const DeviceTable& table, std::size_t i, const DeviceRow& row) {
  const DeviceCell& cell = row.cells[i];
  if (!cell.value) return "–";
  std::string text = quantity_text(*cell.value, row.unit);  // as many digits as the ratio has
  if (i != table.reference) text += " " + ratio_or_dash(cell.ratio);
  if (cell.share) text += " " + share_text(*cell.share);
  if (cell.price) text += fmt::format(" {:.3g}/M", *cell.price);
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
  if (flags.json && flags.markdown)
    throw Error("--json and --markdown both want standard output; give one of them");
  for (const std::string& price : flags.prices)
    flags.options.prices.push_back(named_number("--price", price, "/h"));
  for (const std::string& power : flags.powers)
    flags.options.powers.push_back(named_number("--power", power, "W"));
  ConsoleTalk talk;
  const std::vector<Run> runs = read_runs(flags.runs, talk);
  const DeviceTable table = device_table(runs, flags.options);
  if (!flags.csv.empty()) write_atomically(flags.csv, devices_csv(table));
  if (!flags.output.empty()) {
    write_atomically(flags.output, render_devices(table, flags.title));
    print_note("written: " + std::filesystem::absolute(flags.output).string());
  }
  if (flags.json || flags.markdown)
    print_result(flags.json ? devices_json(table) : devices_markdown(table));
  else
    print_text(devices_text(table));
  return kExitOk;
}

}  // namespace

Command devices_command() {
  return {
      "devices", "Device models side by side: times, ratios to one of them, prices",
      [](CLI::App& app) {
        auto flags = std::make_shared<DevicesFlags>();
        app.add_option("RUN", flags->runs, "a run or baseline of each device, imported ones too")
            ->required();
        app.add_option("--reference", flags->options.reference,
                       "device that the others are set beside, by a part of its name [the first]")
            ->type_name("DEVICE");
        add_list_flag(app, "--metric", flags->options.metrics, "only this metric [all judged ones]")
            ->type_name("METRIC");
        add_list_flag(app, "--price", flags->prices,
                      "price of an hour: gives that of a million launches, H200=3.2/h")
            ->type_name("DEVICE=PRICE/h");
        add_list_flag(app, "--power", flags->powers,
                      "power in W: gives the energy of a launch, H200=700")
            ->type_name("DEVICE=W");
        app.add_option("-o,--output", flags->output, "write a page to this file")
            ->type_name("FILE");
        app.add_option("--title", flags->title, "of the page's window")->type_name("TEXT");
        app.add_option("--csv", flags->csv, "a row for each case, metric and device, to this file")
            ->type_name("FILE");
        app.add_flag("--json", flags->json, "everything, on standard output");
        app.add_flag("--markdown", flags->markdown, "Markdown on standard output");
        app.footer(
            "×2 is half the reference's time (memory, energy), or twice what is better when more. "
            "Nothing is judged:\na ratio has an interval where both devices have two visits. What "
            "is not comparable (another revision of the\nproblem, metric, unit or numeric switch) "
            "has no ratio but a reason.\n"
            "Exit codes: 0; 2 a mistake, an unreadable file, or nothing to show.");
        return Action([flags](const auto&) { return show_devices(*flags); });
      }};
}

}  // namespace plumbline
