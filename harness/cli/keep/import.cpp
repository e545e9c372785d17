/// plumbline import: turns results of other programs into runs.
#include "import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cli/command.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "import/import_mapping_file.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/flags.h"

namespace plumbline {
namespace {

struct ImportFlags {
  std::string format, output;
  std::vector<std::string> files, map;
  bool dry_run = false;
  ImportOptions options;
};

bool is_file(const std::string& map) {
  return map.find('=') == std::string::npos || std::filesystem::exists(map);
}

ImportMapping mapping_of(const std::vector<std::string>& map) {
  if (map.empty())
    throw Error("--map is missing: a mapping file, or key=value, says what the columns mean");
  std::vector<std::string> files, assignments;
  for (const std::string& one : map) (is_file(one) ? files : assignments).push_back(one);
  if (files.size() > 1)
    throw Error(
        fmt::format("--map: found two mapping files, {} and {}; give one, and single keys "
                    "as key=value",
                    files[0], files[1]));
  return files.empty() ? import_mapping_of(assignments)
                       : read_import_mapping(files[0], assignments);
}

/// A format that a mapping explains.
struct MappedFormat {
  std::string_view name;
  Imported (*import)(const std::string& path, const ImportMapping& mapping,
                     const ImportOptions& options);
};
constexpr auto kMappedFormats = std::to_array<MappedFormat>(
    {{"csv", import_csv}, {"json", import_json}, {"jsonl", import_json_lines}});

Imported read_foreign(const ImportFlags& flags) {
  const auto* const mapped =
      std::ranges::find(kMappedFormats, std::string_view(flags.format), &MappedFormat::name);
  if (mapped == kMappedFormats.end()) {
    if (!flags.map.empty())
      throw Error("--map is for csv, json and jsonl; the JSON of " + flags.format +
                  " says itself what it holds");
    return flags.format == "gbench" ? import_gbench(flags.files, flags.options)
                                    : import_nvbench(flags.files, flags.options);
  }
  if (flags.files.size() > 1)
    throw Error(
        fmt::format("found {} files; {} is imported one by one", flags.files.size(), flags.format));
  if (!flags.options.backend.empty())
    throw Error(
        "--backend is for gbench and nvbench; the mapping says the backend: --map "
        "backend=NAME");
  return mapped->import(flags.files[0], mapping_of(flags.map), flags.options);
}

std::string summary_of(const Run& run) {
  std::size_t values = 0, absent = 0;
  std::size_t visits = 0;
  for (const ResultRow& row : run.rows) {
    visits += row.part == 1 ? 1 : 0;
    (row.samples.empty() ? absent : values) += 1;
  }
  return fmt::format("{}: {}, {}{}", run.info.environment.device_class, counted(visits, "result"),
                     counted(values, "metric"),
                     absent > 0 ? fmt::format(", {} without a value", absent) : "");
}

int import_results(const ImportFlags& flags, const std::vector<std::string>& command) {
  const Imported imported = read_foreign(flags);
  for (const std::string& note : imported.notes) print_note(note);
  for (const Run& run : imported.runs) print_note(summary_of(run));
  if (flags.dry_run) {
    print_note(kDryRunNote);
    return kExitOk;
  }
  const std::vector<std::string> paths = write_imported(imported, flags.output, command, now_utc());
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  print_result(text);
  return kExitOk;
}

}  // namespace

Command import_command() {
  return {
      "import", "Turn results of other programs into runs: CSV, JSON, Google Benchmark, NVBench",
      [](CLI::App& app) {
        auto flags = std::make_shared<ImportFlags>();
        app.add_option("FORMAT", flags->format, "csv, json, jsonl (JSON lines), gbench or nvbench")
            ->required()
            ->check(one_of({"csv", "json", "jsonl", "gbench", "nvbench"}));
        app.add_option("FILE", flags->files,
                       "a file of results; gbench and nvbench take several, each from a process "
                       "of its own, and each becomes one visit")
            ->required();
        app.add_option("-o,--output", flags->output, "folder in which each run gets its own")
            ->type_name("DIR")
            ->required();
        add_dry_run_flag(app, flags->dry_run);
        add_list_flag(app, "--map", flags->map,
                      "what the columns of csv, json or jsonl mean: a mapping file, single keys of "
                      "one with values, such as params.m=$m, or both")
            ->type_name("FILE|KEY=VALUE");
        app.add_option("--device", flags->options.device,
                       "device class of all results, where the file does not say it")
            ->type_name("NAME");
        app.add_option("--backend", flags->options.backend,
                       "the backend of all results [the program's name] (gbench, nvbench)")
            ->type_name("NAME");
        app.footer(
            "Standard output: the paths of the runs, one for each device and "
            "environment.\nMapping files: harness/import/mappings/README.md. All results are "
            "UNVERIFIED: Plumbline did not check them. A value without samples is never "
            "judged.\nExit codes: 0; 2 a mistake, or a value that cannot be read.");
        return Action([flags](const auto& command) { return import_results(*flags, command); });
      }};
}

}  // namespace plumbline
