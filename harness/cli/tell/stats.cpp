/// plumbline stats: the tests and estimates of harness/stats on lists of numbers.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/tell/number_file.h"
#include "core/error.h"
#include "core/words.h"
#include "stats/table/table.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/table.h"

namespace plumbline {
namespace {

using Use = ListNeed::Use;

struct StatsFlags {
  std::string test, a, b;
  std::vector<std::pair<std::string, std::string>> options;  // name, text
  bool json = false;
};

struct Lists {
  std::vector<double> a, b;
};

std::string joined(std::span<const std::string_view> words, std::string_view before) {
  std::string all;
  for (const std::string_view word : words)
    all += fmt::format("{}{}{}", all.empty() ? "" : " ", before, word);
  return all;
}

/// The numbers of one list. Throws Error if the row does not take the list, or needs it or more
/// numbers.
std::vector<double> read_list(const Statistic& row, const ListNeed& need, std::string_view flag,
                              const std::string& path) {
  if (path.empty() && need.use == Use::required)
    throw Error(fmt::format("{} needs {} FILE: {}, one a line", row.name, flag, need.what));
  if (path.empty()) return {};
  if (need.use == Use::none)
    throw Error(fmt::format("{} {}: {} takes one list, --a", flag, path, row.name));
  std::vector<double> numbers = read_numbers(path, need.domain);
  if (numbers.size() < need.at_least)
    throw Error(fmt::format("{}: found {}, {} needs at least {}", path,
                            counted(numbers.size(), "number"), row.name, need.at_least));
  return numbers;
}

Lists read_lists(const Statistic& row, const StatsFlags& flags) {
  Lists lists{read_list(row, row.a, "--a", flags.a), read_list(row, row.b, "--b", flags.b)};
  if (row.b.is_as_long_as_a && !lists.b.empty() && lists.a.size() != lists.b.size())
    throw Error(fmt::format("{}: found {}, {} has {}; {} takes them in pairs, line by line",
                            flags.b, counted(lists.b.size(), "number"), flags.a, lists.a.size(),
                            row.name));
  return lists;
}

/// The options that affected the result, without those that its details already have.
std::vector<std::pair<std::string_view, Value>> settings(const Statistic& row,
                                                         const StatOptions& options,
                                                         const StatResult& result) {
  std::vector<std::pair<std::string_view, Value>> all;
  for (const StatOption& option : stat_options()) {
    const bool is_told = std::ranges::any_of(
        result.details, [&](const auto& detail) { return detail.first == option.name; });
    if (std::ranges::find(row.options, option.name) == row.options.end() ||
        option.name == "method" || is_told)
      continue;
    all.emplace_back(option.name, option.get(options));
  }
  if (result.method) all.emplace_back("method", std::string(name_of(*result.method)));
  return all;
}

std::string as_json(const Statistic& row, const StatOptions& options, const Lists& lists,
                    const StatResult& result) {
  JsonWriter io;
  io("test", std::string(row.name));
  io("statistic", result.statistic);
  // One adjusted p value per input value takes the place of a test's p value.
  const bool is_adjustment = result.per_value && result.per_value->name == "p_value";
  if (is_adjustment)
    io("p_value", result.per_value->values);
  else
    io("p_value", result.p_value);
  io("estimate", result.estimate);
  std::optional<std::vector<double>> ends;
  if (result.interval) ends = {result.interval->lower, result.interval->upper};
  io("interval", ends);
  io("n", lists.a.size());
  for (const auto& [name, value] : settings(row, options, result))
    std::visit([&, &key = name](const auto& held) { io(key, held); }, value);
  if (result.coverage) io("coverage", *result.coverage);
  for (const auto& [name, value] : result.details) io(name, value);
  if (result.per_value && !is_adjustment) io(result.per_value->name, result.per_value->values);
  io("notes", result.notes);
  return json_text(io.object());
}

std::string line(std::string_view name, std::string_view value, std::string_view words = "") {
  return fmt::format("{:<18} {}{}\n", name, value,
                     words.empty() ? "" : fmt::format("  ({})", words));
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string as_text(const Statistic& row, const StatOptions& options, const Lists& lists,
                    const StatResult& result) {
  std::string text;
  if (result.p_value) text += line("p_value", number(*result.p_value));
  if (result.statistic) text += line("statistic", number(*result.statistic), row.statistic);
  if (result.estimate) text += line("estimate", number(*result.estimate), row.estimate);
  if (result.interval)
    text += line(
        "interval",
        fmt::format("[{}, {}]", number(result.interval->lower), number(result.interval->upper)),
        result.coverage ? fmt::format("covers {:.4g} %", 100 * *result.coverage) : "");
  if (!result.per_value) text += line("n", std::to_string(lists.a.size()));
  for (const auto& [name, value] : settings(row, options, result))
    text += line(name, to_text(value));
  for (const auto& [name, value] : result.details) text += line(name, number(value));
  return text;
}

void print_text(const Statistic& row, const StatOptions& options, const Lists& lists,
                const StatResult& result) {
  for (const std::string& note : result.notes) print_note(note);
  const std::string text = as_text(row, options, lists, result);
  if (!result.per_value) return print_result(text);
  say(text);
  std::string values;
  for (const double value : result.per_value->values) values += shortest_text(value) + '\n';
  print_result(values);
}

/// "--a [--b]".
std::string lists_of(const Statistic& row) {
  return row.b.use == Use::none ? "--a" : row.b.use == Use::optional ? "--a [--b]" : "--a --b";
}

std::string listing() {
  Table table({{"test"}, {"lists"}, {"what it answers", Fit::text}, {"options", Fit::text}});
  for (const Statistic& row : statistics())
    table.add({{std::string(row.name)},
               {lists_of(row)},
               {std::string(row.summary)},
               {joined(row.options, "--")}});
  return table.text();
}

std::string listing_as_json() {
  Json list = Json::array();
  for (const Statistic& row : statistics()) {
    JsonWriter io;
    io("test", std::string(row.name));
    io("summary", std::string(row.summary));
    io("a", std::string(row.a.what));
    io("b", row.b.use == Use::none ? std::nullopt : std::optional(std::string(row.b.what)));
    io("b_is_required", row.b.use == Use::required);
    io("options", std::vector<std::string>(row.options.begin(), row.options.end()));
    list.push_back(io.object());
  }
  return json_text(list);
}

int stats(const StatsFlags& flags) {
  if (flags.test.empty()) {
    if (!flags.a.empty() || !flags.b.empty() || !flags.options.empty())
      throw Error("name a TEST; `plumbline stats` lists them");
    print_result(flags.json ? listing_as_json() : listing());
    return kExitOk;
  }
  const Statistic& row = find_statistic(flags.test);
  const StatOptions options = options_for(row, flags.options);
  const Lists lists = read_lists(row, flags);
  const StatResult result = result_of(row, {lists.a, lists.b, options});
  if (flags.json)
    print_result(as_json(row, options, lists, result));
  else
    print_text(row, options, lists, result);
  return kExitOk;
}

}  // namespace

Command stats_command() {
  return {"stats", "Run the harness' statistical tests and estimates on lists of numbers",
          [](CLI::App& app) {
            auto flags = std::make_shared<StatsFlags>();
            app.add_option("TEST", flags->test, "what to answer; without it: the list of them");
            app.add_option("--a", flags->a, "numbers, one a line; '#' begins a comment")
                ->type_name("FILE");
            app.add_option("--b", flags->b,
                           "more of them: positions or degrees of freedom, one for each of a")
                ->type_name("FILE");
            app.add_flag("--json", flags->json, "print a JSON object");
            for (const StatOption& option : stat_options())
              app.add_option_function<std::string>(
                     "--" + std::string(option.name),
                     [flags, name = std::string(option.name)](const std::string& text) {
                       flags->options.emplace_back(name, text);
                     },
                     fmt::format("{} [{}]", option.doc, to_text(option.get({}))))
                  ->type_name(std::string(option.placeholder))
                  ->group("Options, each of some tests");
            app.footer(
                "bh and moderation print a line for each number of a.\n"
                "Exit codes: 0; 2 a mistake, an unreadable file, or numbers that are too few.");
            return Action([flags](const auto&) { return stats(*flags); });
          }};
}

}  // namespace plumbline
