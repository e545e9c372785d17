#include "workflow/results/page.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/op/op_spec.h"
#include "ops/catalogue.h"
#include "reports/report.h"
#include "store/file.h"
#include "store/index/history.h"
#include "store/recorded/evidence.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/named_results.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

PageMaterial with_runs(Comparison comparison, Talk& talk) {
  PageMaterial material;
  material.comparison = std::move(comparison);
  const std::string& baseline = material.comparison->baseline_path;
  const std::string& candidate = material.comparison->candidate_path;
  if (fs::exists(baseline)) {
    InputRuns sides = read_input_runs(baseline, candidate);
    material.candidate = std::move(sides.candidate);
    if (sides.baseline) material.baseline = std::move(sides.baseline->run);
    // Files of older versions contain no causes.
    if (material.comparison->causes.empty() && material.baseline)
      explain(*material.comparison, *material.baseline, material.candidate.value());
  } else {
    talk.note("the baseline " + baseline + " is gone: its samples are not shown");
    material.candidate = read_run(candidate);
  }
  return material;
}

PageMaterial read_material(const std::vector<std::string>& inputs, Talk& talk) {
  std::vector<Run> runs;
  for (const std::string& input : inputs) {
    require_results(input);
    std::optional<Comparison> comparison = find_comparison(input);
    if (comparison && inputs.size() == 1) return with_runs(std::move(*comparison), talk);
    if (comparison)
      throw Error("a page shows one comparison, or one run in one or more parts; found '" + input +
                  "' among " + std::to_string(inputs.size()) + " inputs");
    runs.push_back(read_run(input));
  }
  PageMaterial material;
  material.candidate = joined(std::move(runs), inputs.size() == 1 ? "" : inputs[0]);
  return material;
}

/// Defaults of ops' parameters, from the catalogue: ids leave them out.
std::map<std::string, Params, std::less<>> defaults_of_ops() {
  std::map<std::string, Params, std::less<>> defaults;
  for (const CatalogueEntry& entry : make_catalogue())
    for (const auto* params : {&common_params(), &entry.spec.params})
      for (const ParamSpec& param : *params)
        if (param.fallback) defaults[entry.spec.name][param.name] = *param.fallback;
  return defaults;
}

/// The candidate and the runs in the folder that came before it.
std::optional<History> history_up_to(const Run& candidate, const std::string& folder, Talk& talk) {
  if (folder.empty()) return std::nullopt;
  HistoryFolder found = read_history(folder, [&](const auto& line) { talk.say(line); });
  talk.notes(found.notes);
  RunSummary own = summary_of(candidate);
  EarlierRuns earlier = earlier_runs(std::exchange(found.runs, {}), own, own);
  talk.notes(earlier.notes);
  earlier.runs.push_back(std::move(own));
  return history_of(std::move(earlier.runs), found);
}

}  // namespace

Origin Origins::of(const Run& run) {
  const std::string& commit = run.info.environment.commit;
  std::string key = fs::path(run.path).parent_path().string() + '\n' + commit;
  for (const SuiteRef& suite : run.info.suites) key += '\n' + suite.path + '\n' + suite.hash;
  if (run.info.asked)
    for (const std::string& suite : run.info.asked->suites) key += '\n' + suite;
  const std::scoped_lock lock(mutex_);
  const auto [place, is_new] = known_.try_emplace(std::move(key));
  if (!is_new) return place->second;
  const fs::path home = home_of(run).value_or(run.path);
  const std::string folder = fs::is_directory(home) ? home.string() : home.parent_path().string();
  const Tree tree = tree_of(folder.empty() ? "." : folder);
  if (!tree.root.empty())
    place->second = {fs::path(tree.root).filename().string(), commit_text(tree.root, commit)};
  return place->second;
}

void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history_folder, Talk& talk) {
  Origins origins;
  write_page(inputs, output, title, history_folder, origins, talk);
}

void write_page(const PageMaterial& material, const std::string& output, const std::string& title,
                const std::string& history_folder, Talk& talk) {
  Origins origins;
  write_page(material, output, title, history_folder, origins, talk);
}

void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history_folder, Origins& origins,
                Talk& talk) {
  const PageMaterial material = read_material(inputs, talk);
  for (const auto* run : {&material.candidate, &material.baseline})
    if (*run)
      for (const std::string& warning : (*run)->warnings) talk.note(warning);
  write_page(material, output, title, history_folder, origins, talk);
}

void write_page(const PageMaterial& material, const std::string& output, const std::string& title,
                const std::string& history_folder, Origins& origins, Talk& talk) {
  ReportInput input;
  input.candidate = &*material.candidate;
  input.baseline = material.baseline ? &*material.baseline : nullptr;
  input.comparison = material.comparison ? &*material.comparison : nullptr;
  const std::optional<History> history = history_up_to(*material.candidate, history_folder, talk);
  input.history = history ? &*history : nullptr;
  input.title = title;
  input.defaults = defaults_of_ops();
  // A redacted run is of nobody's repository, and lies nowhere.
  const bool is_redacted = !material.candidate->info.redacted.empty();
  std::optional<Comparison> nameless;
  if (is_redacted && material.comparison) {
    nameless = material.comparison;
    nameless->baseline_path = nameless->candidate_path = "";
    input.comparison = &*nameless;
  }
  const Origin origin = is_redacted ? Origin() : origins.of(*material.candidate);
  input.project = origin.project;
  input.commit_subject = origin.commit.subject;
  input.commit_author = origin.commit.author;
  input.commit_time = origin.commit.time;
  write_atomically(output, render_report(input));
}

}  // namespace plumbline
