#include "workflow/setup/run_plan.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "core/moment.h"
#include "core/op/ranks.h"
#include "core/words.h"
#include "store/file.h"
#include "suite/policy_reader.h"
#include "workflow/setup/git.h"
#include "workflow/setup/shard_plan.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string who_started() {
  constexpr std::pair<const char*, const char*> kServices[] = {{"GITHUB_ACTIONS", "GitHub Actions"},
                                                               {"GITLAB_CI", "GitLab CI"},
                                                               {"JENKINS_URL", "Jenkins"},
                                                               {"CI", "CI"}};
  for (const auto& [variable, name] : kServices)
    if (std::getenv(variable)) return name;
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : "user " + std::to_string(getuid());
}

/// The tree in which this program was built; empty if it is installed in another tree.
Tree own_tree() {
  const Tree tree = tree_of(program_folder());
  return fs::exists(fs::path(tree.root) / "harness/LAYERS") ? tree : Tree{};
}

std::vector<std::string> sorted(std::vector<std::string> values) {
  std::ranges::sort(values);
  return values;
}

Asked asked_by(const RunRequest& flags, const LoadedSuites& loaded) {
  Asked asked;
  for (const Suite& suite : loaded.suites)  // links stay: the path identifies a stock suite
    asked.suites.push_back(fs::absolute(suite.path).lexically_normal().string());
  asked.set = flags.suite.set;
  asked.filters = flags.suite.selection.filters;
  asked.tags = flags.suite.selection.tags;
  asked.cases = flags.suite.selection.cases;
  asked.policy = flags.suite.policy;
  asked.device = flags.worker.device;
  asked.extensions = absolute_paths(flags.worker.extensions);
  return asked;
}

}  // namespace

std::vector<std::string> flags_of(const RunInfo& info) {
  const Asked asked = info.asked.value_or(Asked{});
  std::vector<std::string> words;
  const auto add = [&](const std::string& flag, const std::vector<std::string>& values) {
    for (const std::string& value : sorted(values)) words.insert(words.end(), {flag, value});
  };
  add("--set", asked.set);
  add("--filter", asked.filters);
  add("--tag", asked.tags);
  add("--case", asked.cases);
  add("--extension", asked.extensions);
  for (const auto& [field, text] : asked.policy) add("--" + field, {text});
  return words;
}

namespace {

/// Adds what the suite declares about its cases.
void add_declarations(const Suite& suite, SuiteRef& ref) {
  for (const Case& c : suite.cases) {
    ref.cases.push_back(c.id);
    if (c.threshold) ref.thresholds[c.id] = *c.threshold;
    if (!c.calls.empty()) ref.calls[c.id] = c.calls;
  }
  ref.steps = suite.steps;
  ref.renames = {suite.renames.begin(), suite.renames.end()};
}

std::string text_of(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables)
    text += (text.empty() ? "" : " ") + name + '=' + value;
  return text;
}

std::string text_of(const std::vector<std::string>& words) {
  return words.empty() ? "no such flags" : "'" + shell_command(words) + "'";
}

}  // namespace

RunInfo info_of(const RunRequest& flags, const std::vector<WorkerDevice>& devices,
                const LoadedSuites& loaded, const std::string& folder,
                const std::vector<std::string>& command) {
  RunInfo info;
  info.plumbline = PLUMBLINE_VERSION;
  info.command = command;
  info.asked = asked_by(flags, loaded);
  info.shard = flags.shard;
  apply_policy_overrides({flags.suite.policy.begin(), flags.suite.policy.end()}, info.policy);
  const Tree tree = tree_of(folder);
  const Tree own = own_tree();
  info.environment = devices.front().environment;
  info.environment.device_uuids.clear();
  for (const WorkerDevice& device : devices)
    info.environment.device_uuids.push_back(device.environment.device_uuid());
  info.environment.commit = tree.commit;
  info.environment.dirty = flag_of(tree.dirty);
  info.environment.branch = tree.branch;
  if (info.environment.harness_commit.empty()) {
    info.environment.harness_commit = own.commit;
    info.environment.harness_dirty = flag_of(own.dirty);
  }
  info.environment.started_by = who_started();
  info.variables = flags.worker.variables;
  for (const Suite& suite : loaded.suites) {
    SuiteRef& ref = info.suites.emplace_back();
    ref.name = suite.name;
    ref.path = recorded_path(suite.path, tree.root);
    ref.hash = suite.hash;
    add_declarations(suite, ref);
    for (const auto* files : {&suite.shape_files, &suite.sources})
      for (const FileRef& file : recorded_files(*files, tree.root)) ref.sources.push_back(file);
    // Operators of extensions are code of the suite, as in plug-ins, but named on the command line.
    for (const std::string& extension : absolute_paths(flags.worker.extensions))
      ref.sources.push_back(
          {recorded_path(extension, tree.root), stable_hash_text(read_text(extension))});
  }
  info.expected = loaded.expected;
  for (ExpectedFailure& expected : info.expected) {
    const std::size_t colon = expected.at.rfind(':');
    expected.at =
        recorded_path(expected.at.substr(0, colon), tree.root) + expected.at.substr(colon);
  }
  return info;
}

// Workers get the number of hardware queues that their cases declare, the same on every machine.
void set_aside_connections(Talk& talk) {
  const char* const name = "CUDA_DEVICE_MAX_CONNECTIONS";
  const char* const value = std::getenv(name);
  if (value == nullptr) return;
  talk.note(
      fmt::format("{}={} of your environment is not used; a suite declares it: "
                  "stream: [{{connections: {}}}]",
                  name, value, value));
  unsetenv(name);
}

/// A CPU has one metric of time in one cache state, whatever the flags ask for.
void tell_unused_flags(const std::map<std::string, std::string>& policy,
                       const Environment& environment, Talk& talk) {
  if (environment.device_kind != "cpu") return;
  for (const char* const name : {"metrics", "cache"})
    if (const auto asked = policy.find(name); asked != policy.end())
      talk.note(fmt::format("--{} {} is not used: a CPU has only wall_time", name, asked->second));
}

bool may_have_successors(const WorkerDevice& device, std::size_t workers) {
  return device.awaits_turn && device.environment.device_kind == "cuda" &&
         std::thread::hardware_concurrency() >= 3 * workers;
}

RunPlan plan_run(const RunRequest& flags, const WorkerProgram& worker, const Project& project,
                 const std::vector<std::string>& files, const std::vector<std::string>& command,
                 Talk& talk) {
  set_aside_connections(talk);
  RunPlan plan;
  plan.project = project;
  // Report mistakes in suites before a worker takes seconds to start for its devices.
  plan.loaded = read_suites(files, flags.suite, &worker);
  selected_cases(plan.loaded, flags.suite.selection);
  RunRequest request = flags;
  request.worker.device = wanted_device(flags.worker, project);
  plan.devices = choose_devices(worker.devices(), request.worker.device);
  tell_unused_flags(flags.suite.policy, plan.devices.front().environment, talk);
  apply_device(plan.loaded, &plan.devices.front().environment);
  apply_python(worker, plan.loaded.cases, plan.devices.front().environment);
  keep_selected(plan.loaded, flags.suite.selection);
  ShardPlan shard = keep_shard(plan.loaded.cases, {flags.shard, flags.balance});
  const std::string folder = folder_of(plan.loaded.suites.front().path);
  const Tree tree = tree_of(folder);
  if (!tree.refusal.empty()) talk.note(tree.refusal);
  plan.root = tree.root;
  plan.info = info_of(request, plan.devices, plan.loaded, folder, command);
  record_shard(shard, plan.loaded.cases, plan.info);
  plan.homes = std::move(shard.homes);
  return plan;
}

std::vector<WorkerDevice> devices_of_ranks(const WorkerProgram& worker,
                                           std::vector<WorkerDevice> devices,
                                           std::span<const Case> cases) {
  int ranks = 1;
  for (const Case& c : cases) ranks = std::max(ranks, ranks_of(c.params));
  if (ranks == 1 || devices.front().environment.device_kind != "cuda") return devices;
  std::vector<WorkerDevice> gpus;
  for (WorkerDevice& device : worker.devices())
    if (device.environment.device_kind == "cuda") gpus.push_back(std::move(device));
  const auto uuid = [](const WorkerDevice& device) { return device.environment.device_uuid(); };
  const auto first = std::ranges::find(gpus, uuid(devices.front()), uuid);
  for (int rank = 1; rank < std::min(ranks, int(gpus.size())); ++rank) {
    const auto own = std::size_t(first - gpus.begin());
    const WorkerDevice& gpu = gpus[(own + std::size_t(rank)) % gpus.size()];
    if (std::ranges::find(devices, uuid(gpu), uuid) == devices.end()) devices.push_back(gpu);
  }
  return devices;
}

std::vector<DeviceLock> lock_devices(const std::vector<WorkerDevice>& devices,
                                     const std::vector<std::string>& command) {
  std::vector<DeviceLock> locks;
  for (const WorkerDevice& device : devices)
    locks.emplace_back(
        device.environment.device_uuid(),
        fmt::format("'{}' (process {}, since {})", shell_command(command), getpid(), now_utc()));
  return locks;
}

std::vector<RunDevice> run_devices(const RunPlan& plan, const WorkerProgram& worker,
                                   const std::string& folder, Interrupt& interrupt) {
  std::vector<RunDevice> devices;
  for (const WorkerDevice& device : plan.devices) {
    // One log for each: if a worker dies, its last output is quoted.
    std::string log = plan.devices.size() == 1 ? "worker.log" : "worker-" + device.name + ".log";
    std::ranges::replace(log, ':', '-');
    WorkerCommand command = worker.command(device, folder + "/" + log, plan.loaded.cases);
    if (device.environment.device_kind == "cuda") command.first_flags = {"--calibration", "brief"};
    command.has_successors = may_have_successors(device, plan.devices.size());
    devices.push_back({device.name, device.environment.device_uuid(),
                       worker_processes(std::move(command), &interrupt)});
  }
  return devices;
}

std::string device_names(const RunPlan& plan) {
  std::string text;
  for (const WorkerDevice& device : plan.devices) text += (text.empty() ? "" : ", ") + device.name;
  return text;
}

void check_same_run(const RunInfo& started, const RunInfo& now, bool any_device) {
  std::string differs;
  const auto check = [&](const std::string& what, const std::string& then,
                         const std::string& today) {
    if (then != today)
      differs += fmt::format("\n  {}: {} then, {} now", what, then.empty() ? "none" : then,
                             today.empty() ? "none" : today);
  };
  if (any_device) {
    check("device class", started.environment.device_class, now.environment.device_class);
    check("driver", started.environment.driver, now.environment.driver);
  } else {
    check("device", started.environment.device_uuid(), now.environment.device_uuid());
  }
  check("worker (hash)", started.environment.worker_hash, now.environment.worker_hash);
  check("shard", started.shard, now.shard);
  check("balanced by the results (hash)", started.balanced_by, now.balanced_by);
  check("commit", started.environment.commit, now.environment.commit);
  check("variables", text_of(started.variables), text_of(now.variables));
  const auto names = [](const RunInfo& info) {
    std::string text;
    for (const SuiteRef& suite : info.suites) text += (text.empty() ? "" : ", ") + suite.name;
    return text;
  };
  check("suites", names(started), names(now));
  for (const SuiteRef& then : started.suites)
    for (const SuiteRef& today : now.suites) {
      if (then.name != today.name) continue;
      check("suite " + then.name + " (hash)", then.hash, today.hash);
      for (const FileRef& file : then.sources)
        for (const FileRef& file_now : today.sources)
          if (file.path == file_now.path) check(file.path + " (hash)", file.hash, file_now.hash);
    }
  check("flags", text_of(flags_of(started)), text_of(flags_of(now)));
  if (!differs.empty())
    throw Error("this is not the command that the run was started with:" + differs +
                "\nthe run was started with: " + shell_command(started.command));
}

}  // namespace plumbline
