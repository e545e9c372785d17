#include "workflow/setup/suites.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/error.h"
#include "core/words.h"
#include "ops/catalogue.h"
#include "store/file.h"

namespace plumbline {
namespace {

/// Whether a text stands in one of the files. A guess that costs a question to the worker where it
/// is wrong, and spares reading all suites twice.
bool any_holds(const std::vector<std::string>& files, std::string_view text) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    return read_text(file).find(text) != std::string::npos;
  });
}

/// What conditions may ask of a device.
Params facts_of(const Environment& device) {
  Params facts{{"device.kind", device.device_kind}, {"device.model", device.device_model}};
  if (device.device_memory_bytes) facts["device.memory"] = *device.device_memory_bytes;
  if (device.device_units) facts["device.units"] = *device.device_units;
  return facts;
}

/// Adds the cases that a kind of device lacks; the text of a limit's condition is that kind.
void add_undecided(const Suite& suite, std::map<std::string, CaseNames>& undecided) {
  for (const DeviceRule& rule : suite.device_rules) {
    if (!rule.is_limit) continue;
    CaseNames& names = undecided[rule.condition.text];
    for (const std::size_t index : rule.cases) names.emplace(suite.name, suite.cases[index].id);
  }
}

void take_all_cases(LoadedSuites& loaded) {
  loaded.cases.clear();
  for (const Suite& suite : loaded.suites)
    loaded.cases.insert(loaded.cases.end(), suite.cases.begin(), suite.cases.end());
}

/// Whether a suite asks for operators of the dispatcher, whose names only a worker knows.
bool names_operators(const std::vector<std::string>& files) { return any_holds(files, "::"); }

}  // namespace

std::string words_of(const Selection& selection) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {flag, value});
  };
  add("--filter", selection.filters);
  add("--tag", selection.tags);
  add("--case", selection.cases);
  return shell_command(words);
}

bool asks_for_device(const std::vector<std::string>& files) { return any_holds(files, "device."); }

LoadedSuites read_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker) {
  LoadedSuites loaded;
  if (files.empty()) return loaded;
  SuiteOptions options = flags.options();
  if (names_operators(files)) {
    if (worker)
      options.schemas = worker->schemas(loaded.notes);
    else
      loaded.notes.push_back("names of operators are not checked: there is no plumbline-worker");
  }
  const Catalogue catalogue = make_catalogue();
  std::map<std::string, std::string> paths;
  for (const std::string& file : files) {
    Suite suite = load_suite(file, catalogue, options);
    const auto [first, is_new] = paths.emplace(suite.name, file);
    if (!is_new)
      throw Error("two suites are named '" + suite.name + "': " + first->second + " and " + file +
                  "; results could not be told apart");
    loaded.suites.push_back(std::move(suite));
  }
  check_axes_used(loaded.suites, options);
  for (const Suite& suite : loaded.suites)
    for (const std::string& axis : suite.unused_axes)
      loaded.notes.push_back("suite " + suite.name + " has no axis '" + axis + "': --set " + axis +
                             " does not change it");
  take_all_cases(loaded);
  return loaded;
}

void apply_device(LoadedSuites& loaded, const Environment* device) {
  bool has_rules = false;
  const Params facts = device ? facts_of(*device) : Params{};
  for (Suite& suite : loaded.suites) {
    has_rules = has_rules || !std::ranges::all_of(suite.device_rules, &DeviceRule::is_limit);
    if (device) {
      apply_device_conditions(suite, facts);
    } else {
      add_undecided(suite, loaded.undecided);
      std::erase_if(suite.expectations,
                    [](const Expectation& e) { return !is_empty(e.condition); });
    }
    std::ranges::move(expected_failures(suite, facts), std::back_inserter(loaded.expected));
  }
  if (has_rules && !device)
    loaded.notes.push_back(
        "conditions on the device are not applied: there is no plumbline-worker");
  take_all_cases(loaded);
}

std::vector<Case> selected_cases(const LoadedSuites& loaded, const Selection& selection) {
  std::vector<Case> cases = select(loaded.cases, selection);
  if (cases.empty())
    throw Error("no case is selected: of " + counted(loaded.cases.size(), "case") + " none fits " +
                words_of(selection));
  return cases;
}

LoadedSuites load_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker, const Environment* device) {
  LoadedSuites loaded = read_suites(files, flags, worker);
  apply_device(loaded, device);
  keep_selected(loaded, flags.selection);
  return loaded;
}

void keep_selected(LoadedSuites& loaded, const Selection& selection) {
  loaded.cases = selected_cases(loaded, selection);
  if (loaded.expected.empty()) return;
  std::set<std::pair<std::string_view, std::string_view>> selected;
  for (const Case& c : loaded.cases) selected.insert({c.suite, c.id});
  std::erase_if(loaded.expected, [&](const ExpectedFailure& expected) {
    return !selected.contains({expected.suite, expected.case_id});
  });
}

}  // namespace plumbline
