/// plumbline list: the cases of suites, and why some cannot run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "core/op/op_limits.h"
#include "core/visible.h"
#include "core/words.h"
#include "schedule/plan.h"
#include "schedule/scheduler.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "workflow/setup/kernel_check.h"
#include "workflow/setup/project.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

struct ListFlags {
  SuiteRequest suite;
  WorkerRequest worker;
  bool json = false;
  bool compiles = false;
  bool lists_devices = false;
  std::string architecture;  // for compiling kernels; "" = the default
};

constexpr const char* kUsualArchitecture = "sm_90a";  // Hopper, with its own features

/// The device for conditions, if a suite needs one and a worker can report it.
std::optional<WorkerDevice> device_for(const std::vector<std::string>& files,
                                       const ListFlags& flags, const Project& project,
                                       const std::optional<WorkerProgram>& worker) {
  const std::string wanted = wanted_device(flags.worker, project);
  if (!asks_for_device(files) && wanted == "auto") return std::nullopt;
  if (!worker && wanted == flags.worker.device && wanted != "auto") need_worker(flags.worker, "");
  if (!worker) return std::nullopt;
  return choose_devices(worker->devices(), wanted).front();
}

/// Why a suite's own code cannot run on a CPU; "" if it can. A run on a CPU still compiles it, or
/// reads its graph, to find mistakes, and then gives the same reason.
std::string lack_of_cpu(const Case& c) {
  if (!c.declaration) return "";
  if (c.declaration->kernel) return "a kernel needs a GPU";
  if (c.declaration->graph.empty()) return "";
  return beyond_limits({}, c.backend, c.params, "cpu");
}

/// ", 5 unsupported on a CPU (see --device cpu)": cases that would be UNSUPPORTED on a device kind,
/// if no device was named.
std::string undecided_in_words(const std::vector<Case>& cases,
                               std::map<std::string, CaseNames> undecided) {
  std::string text;
  for (const std::string kind : {"cpu", "cuda"}) {
    const CaseNames& named = undecided[kind];
    const auto count = std::ranges::count_if(cases, [&](const Case& c) {
      const bool is_lacked = kind == "cpu" && !lack_of_cpu(c).empty();
      return is_runnable(c) && (is_lacked || named.contains({c.suite, c.id}));
    });
    if (count > 0)
      text += fmt::format(", {} unsupported on a {} (see --device {})", count,
                          kind == "cpu" ? "CPU" : "GPU", kind);
  }
  return text;
}

std::string as_json(const std::vector<Case>& cases) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Case& c : cases) {
    nlohmann::ordered_json params = nlohmann::ordered_json::object();
    for (const auto& [name, value] : c.params)
      std::visit([&, &key = name](const auto& held) { params[key] = held; }, value);
    list.push_back({{"suite", c.suite},
                    {"id", c.id},
                    {"op", c.op},
                    {"backend", c.backend},
                    {"revision", c.revision},
                    {"params", params},
                    {"tags", c.tags},
                    {"excluded", c.excluded},
                    {"unsupported", c.unsupported}});
  }
  return list.dump(1) + "\n";
}

/// The devices of the worker that a run of these suites would have, a name a line.
int list_devices(const ListFlags& flags) {
  const auto& suites = flags.suite.suites;
  const Project project =
      find_project(suites.empty() ? "." : suite_files(suites).front(), PlaceRequest{});
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  std::string names;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const WorkerDevice& device : worker.devices()) {
    names += device.name + "\n";
    all.push_back({{"device", device.name},
                   {"class", device.environment.device_class},
                   {"uuid", device.environment.device_uuid()}});
  }
  print_result(flags.json ? all.dump(1) + "\n" : names);
  return kExitOk;
}

int list(const ListFlags& flags) {
  if (flags.lists_devices) return list_devices(flags);
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), PlaceRequest{});
  const auto worker = find_worker(flags.worker, project.worker);
  const auto device = device_for(files, flags, project, worker);
  LoadedSuites loaded = load_suites(files, flags.suite, worker ? &*worker : nullptr,
                                    device ? &device->environment : nullptr);
  for (const std::string& note : loaded.notes) print_note(note);
  if (flags.compiles) {
    const std::string architecture =
        flags.architecture.empty() ? kUsualArchitecture : flags.architecture;
    const KernelCheck check =
        check_kernels(loaded.cases, need_worker(flags.worker, project.worker), architecture);
    for (const std::string& note : check.notes) print_note(note);
    say(check.in_words(architecture) + "\n");
  }
  if (device && device->environment.device_kind == "cpu")
    for (Case& c : loaded.cases)
      if (is_runnable(c)) c.unsupported = lack_of_cpu(c);
  using CaseName = std::pair<std::string_view, std::string_view>;
  std::map<CaseName, const ExpectedFailure*> expected;
  for (const ExpectedFailure& known : loaded.expected)
    expected.emplace(CaseName(known.suite, known.case_id), &known);
  std::size_t excluded = 0, unsupported = 0;
  // Piped ids are used by other commands as --case; people also see details.
  const bool is_piped = isatty(STDOUT_FILENO) == 0;
  const std::size_t width = is_piped ? 0 : output_width();
  std::string text;
  const auto remark = [&](const std::string& said) {
    const std::string shown = "  # " + visible(said);
    const std::size_t used = width_of(std::string_view(text).substr(text.rfind('\n') + 1));
    const bool is_beside = width == 0 || used + width_of(shown) <= width;
    text += (is_beside ? "" : "\n") + coloured(shown, Colour::grey, STDOUT_FILENO);
  };
  for (const Case& c : loaded.cases) {
    excluded += !c.excluded.empty();
    unsupported += c.excluded.empty() && !c.unsupported.empty();
    text += c.id;  // never cut, so that it can be copied
    if (!c.excluded.empty())
      remark("EXCLUDED: " + c.excluded);
    else if (!c.unsupported.empty())
      remark("UNSUPPORTED: " + c.unsupported);
    else if (const auto known = expected.find(CaseName(c.suite, c.id)); known != expected.end())
      remark(fmt::format("expected to be {}: {}", name_of(known->second->status),
                         known->second->reason));
    text += '\n';
  }
  if (flags.json) text = as_json(loaded.cases);
  flags.json || is_piped ? print_result(text) : print_text(text);
  say(fmt::format("{}, {} excluded, {} unsupported{}\n", counted(loaded.cases.size(), "case"),
                  excluded, unsupported,
                  device ? "" : undecided_in_words(loaded.cases, std::move(loaded.undecided))));
  return kExitOk;
}

}  // namespace

Command list_command() {
  return {
      "list", "List the cases of suites, and why some cannot run here", [](CLI::App& app) {
        auto flags = std::make_shared<ListFlags>();
        add_suite_flags(app, flags->suite);
        add_worker_flags(app, flags->worker);
        app.add_flag("--json", flags->json, "print a JSON list");
        app.add_flag("--devices", flags->lists_devices,
                     "print the devices that can be measured, a name a line, instead of cases");
        CLI::Option* const compile = app.add_flag(
            "--compile", flags->compiles,
            "compile the kernels that the suites declare and check their arguments, and let "
            "cuDNN's frontend read their graphs, without a GPU; a mistake ends the command");
        app.add_option("--arch", flags->architecture,
                       fmt::format("with --compile: what for [{}]", kUsualArchitecture))
            ->type_name("ARCH")
            ->needs(compile);
        app.footer(
            "Standard output: a case id a line, with the reason behind '#' where the case does "
            "not run, or is expected to fail.\nWith --device it also says what that kind of device "
            "does not support; --device cpu needs no GPU. What a library refuses is known only "
            "when the case runs.\nExit codes: 0; 2 a mistake in a suite, in a kernel "
            "(--compile) or on the command line, or no case selected.");
        return Action([flags](const auto&) { return list(*flags); });
      }};
}

}  // namespace plumbline
