#include "workflow/results/before_after.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "ops/catalogue.h"
#include "reports/devices/page.h"
#include "store/file.h"
#include "suite/yaml/reader.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/variants.h"

namespace plumbline {
namespace {

/// The last part of the path: people call a run by that name.
std::string variant_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return name.filename().string();
}

Variants runs_as_variants(const BeforeAfterRequest& asked, Talk& talk) {
  if (asked.inputs.size() == 1)
    throw Error(asked.inputs[0] +
                ": found one run; give a second run of the same work to compare with, or "
                "--variants AXIS for cases that differ only in an axis");
  Variants variants;
  for (const std::string& input : asked.inputs) variants.names.push_back(variant_name(input));
  variants.reference = asked.reference.empty() ? variants.names.front() : asked.reference;
  if (std::ranges::find(variants.names, variants.reference) == variants.names.end())
    throw Error(fmt::format("--reference {}: no run is called so{}", asked.reference,
                            allowed_names(asked.reference, variants.names)));
  variants.runs = read_runs(asked.inputs, talk);
  return variants;
}

Variants cases_as_variants(const BeforeAfterRequest& asked, Talk& talk) {
  const Run run =
      joined(read_runs(asked.inputs, talk), asked.inputs.size() == 1 ? "" : asked.inputs[0]);
  DeclaredCases declared = declared_cases(run);
  for (const std::string& suite : declared.unread)
    talk.note(
        fmt::format("the run does not say how suite {} declares values of '{}': the default stands "
                    "first, then the others in rising order",
                    suite, asked.axis));
  return variants_in(run, {asked.axis, asked.reference, std::move(declared.order)},
                     make_catalogue());
}

}  // namespace

BeforeAfter before_after(const BeforeAfterRequest& asked, Talk& talk) {
  Variants variants =
      asked.axis.empty() ? runs_as_variants(asked, talk) : cases_as_variants(asked, talk);
  talk.notes(variants.notes);
  BeforeAfter made{std::move(variants.runs), {}};
  made.table = device_table(made.runs, {.variants = std::move(variants.names),
                                        .reference = std::move(variants.reference)});
  write_atomically(asked.output, render_devices(made.table, asked.title));
  return made;
}

}  // namespace plumbline
