#include "cli/look/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/devices/device_table.h"
#include "cli/console.h"
#include "core/error.h"
#include "core/words.h"
#include "ops/catalogue.h"
#include "reports/devices/page.h"
#include "reports/devices/texts.h"
#include "reports/devices/variants.h"
#include "store/file.h"
#include "store/run/run_reader.h"
#include "suite/yaml/reader.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/variants.h"

namespace plumbline {
namespace {

/// The last part of its path, by which people call a run.
std::string variant_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return name.filename().string();
}

std::vector<Run> read_inputs(const std::vector<std::string>& inputs) {
  std::vector<Run> runs = read_runs(inputs);
  for (const Run& run : runs) {
    for (const std::string& warning : run.warnings) print_note(warning);
    if (run.info.finished_at.empty()) print_note(run.path + " is not finished");
  }
  return runs;
}

Variants runs_as_variants(const BeforeAfter& asked) {
  if (asked.inputs.size() == 1)
    throw Error(asked.inputs[0] +
                ": found one run, which has nothing beside it; give another run of the same work, "
                "or --variants AXIS for its cases that differ by an axis alone");
  Variants variants;
  for (const std::string& input : asked.inputs) variants.names.push_back(variant_name(input));
  variants.reference = asked.reference.empty() ? variants.names.front() : asked.reference;
  if (std::ranges::find(variants.names, variants.reference) == variants.names.end())
    throw Error(fmt::format("--reference {}: no run is called so{}", asked.reference,
                            allowed_names(asked.reference, variants.names)));
  variants.runs = read_inputs(asked.inputs);
  return variants;
}

Variants cases_as_variants(const BeforeAfter& asked) {
  const Run run =
      joined(read_inputs(asked.inputs), asked.inputs.size() == 1 ? "" : asked.inputs[0]);
  DeclaredCases declared = declared_cases(run);
  for (const std::string& suite : declared.unread)
    print_note(
        fmt::format("the run does not say how suite {} declares values of '{}': the default stands "
                    "first, then the others in rising order",
                    suite, asked.axis));
  return variants_in(run, {asked.axis, asked.reference, std::move(declared.order)},
                     make_catalogue());
}

/// A table for each case, since ids are longer than anything that stands under them.
std::string cases_text(const DeviceTable& table) {
  const std::vector<std::string> header = variants_header(table);
  std::vector<bool> stands_right(header.size(), true);
  stands_right.front() = false;
  std::string text;
  for (const VariantCase& one : variant_cases(table)) {
    Table shown(header, stands_right);
    for (const std::vector<std::string>& line : one.lines) {
      std::vector<Table::Cell> cells;
      for (const std::string& cell : line) cells.push_back({(cells.empty() ? "  " : "") + cell});
      shown.add(std::move(cells));
    }
    text += coloured(one.case_id, Colour::bold, 1) + "\n" + shown.text() + "\n";
  }
  return text;
}

std::string terminal_text(const DeviceTable& table) {
  std::string text = devices_sentence(table) + "\n";
  for (const std::string& caveat : devices_caveats(table)) text += caveat + "\n";
  text += "\n" + cases_text(table);
  for (const DeviceColumn& column : table.columns)
    for (const std::string& stack : stack_texts(column)) text += column.name + ": " + stack + "\n";
  for (const DeviceReason& one : device_reasons(table))
    text += fmt::format("{}, {} without a factor: {}\n", one.device,
                        counted(one.rows.size(), "case"), one.reason);
  return text;
}

}  // namespace

std::string before_after(const BeforeAfter& asked) {
  Variants variants = asked.axis.empty() ? runs_as_variants(asked) : cases_as_variants(asked);
  for (const std::string& note : variants.notes) print_note(note);
  const DeviceTable table = device_table(
      variants.runs,
      {.variants = std::move(variants.names), .reference = std::move(variants.reference)});
  write_atomically(asked.output, render_devices(table, asked.title));
  return asked.is_markdown ? variants_markdown(table) : terminal_text(table);
}

}  // namespace plumbline
