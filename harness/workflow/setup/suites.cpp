#include "workflow/setup/suites.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/error.h"
#include "core/run/case.h"
#include "core/words.h"
#include "ops/catalogue.h"
#include "store/file.h"
#include "suite/yaml/yaml.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_suite.h"
#include "workflow/setup/sandbox_view.h"

namespace plumbline {
namespace {

/// Facts about a device that conditions may use.
Params facts_of(const Environment& device) {
  Params facts{{"device.kind", device.device_kind}, {"device.model", device.device_model}};
  if (device.device_memory_bytes) facts["device.memory"] = *device.device_memory_bytes;
  if (device.device_units) facts["device.units"] = *device.device_units;
  return facts;
}

/// Adds the cases that a kind of device does not have. The condition's text names the kind.
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

/// A suite before expansion.
struct SuiteText {
  YamlFile file;
  bool is_python = false;  // its axes already have the values of --set
};

std::vector<SuiteText> texts_of(const std::vector<std::string>& files, const SuiteRequest& flags,
                                const WorkerProgram* worker,
                                const std::shared_ptr<const FileLimits>& limits) {
  const WorkerProgram none("", {}, {});
  std::vector<SuiteText> texts;
  for (const std::string& file : files) {
    if (is_python_suite(file)) {
      const WorkerProgram& host = worker ? *worker : none;
      const HostPython python = host.python();
      texts.push_back({written_suite(file, flags.set, python, host.python_sandbox(python)), true});
    } else {
      texts.push_back({read_yaml_file(file)});
    }
    texts.back().file.limits = limits;
  }
  return texts;
}

/// True if a suite uses operators of the dispatcher, whose names only a worker knows.
bool names_operators(const std::vector<SuiteText>& texts) {
  return std::ranges::any_of(
      texts, [](const SuiteText& text) { return text.file.text.find("::") != std::string::npos; });
}

Suite suite_of(const SuiteText& text, const Catalogue& catalogue, const SuiteOptions& options) {
  if (!text.is_python) return expand_suite(text.file, catalogue, options);
  SuiteOptions rest = options;
  std::erase_if(rest.set, [](const auto& axis) { return axis.first != "backend"; });
  Suite suite = expand_suite(text.file, catalogue, rest);
  suite.hash = stable_hash_text(read_text(suite.path));  // of the file that people edit
  for (const auto& [axis, values] : options.set)
    if (!suite.axes.contains(axis)) suite.unused_axes.push_back(axis);
  return suite;
}

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

// A guess: a wrong one costs a question to the worker, but suites are not read twice.
bool asks_for_device(const std::vector<std::string>& files) {
  return std::ranges::any_of(files, [](const std::string& file) {
    return read_text(file).find(is_python_suite(file) ? "devices=" : "device.") !=
           std::string::npos;
  });
}

LoadedSuites read_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker, std::shared_ptr<const FileLimits> limits) {
  LoadedSuites loaded;
  if (files.empty()) return loaded;
  SuiteOptions options = flags.options();
  if (worker && worker->file_limits()) limits = worker->file_limits();
  const std::vector<SuiteText> texts = texts_of(files, flags, worker, limits);
  if (names_operators(texts)) {
    if (worker)
      options.schemas = worker->schemas(loaded.notes);
    else
      loaded.notes.push_back("names of operators are not checked: there is no plumbline-worker");
  }
  const Catalogue catalogue = make_catalogue();
  std::map<std::string, std::string> paths;
  for (const SuiteText& text : texts) {
    Suite suite = suite_of(text, catalogue, options);
    const auto [first, is_new] = paths.emplace(suite.name, suite.path);
    if (!is_new)
      throw Error("two suites are named '" + suite.name + "': " + first->second + " and " +
                  suite.path + "; results could not be told apart");
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

WrittenSuites read_written_suites(const RunRequest& request) {
  const SuiteRequest& flags = request.suite;
  WrittenSuites written;
  std::vector<std::string> files = suite_files(flags.suites);
  std::ranges::copy_if(files, std::back_inserter(written.in_python), is_python_suite);
  std::erase_if(files, is_python_suite);
  const auto limits = limits_of_suites(files, request.worker);
  if (written.in_python.empty()) {
    written.loaded = read_suites(files, flags, nullptr, limits);
    apply_device(written.loaded, nullptr);
    keep_selected(written.loaded, flags.selection);
    return written;
  }
  SuiteRequest rest = flags;  // axes may be those of the others
  std::erase_if(rest.set, [](const std::string& axis) { return !axis.starts_with("backend="); });
  written.loaded = read_suites(files, rest, nullptr, limits);
  return written;
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
