#include "workflow/machine/examination.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"
#include "schedule/clock_keeper.h"
#include "schedule/device_lock.h"
#include "schedule/process/sandbox.h"
#include "store/run/baseline.h"
#include "workflow/machine/machine_limits.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_environment.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using State = Observation::State;

class Examination {
 public:
  Examination(const WorkerRequest& worker, const PlaceRequest& places)
      : asked_(worker), places_(places) {}

  std::vector<Observation> run() {
    add(State::good, "plumbline", PLUMBLINE_VERSION " in " + program_folder());
    examine_project();
    if (examine_worker()) {
      examine_device();
      examine_baselines();
    }
    examine_sandbox();
    examine_folder("cache", cache_folder(), "set PLUMBLINE_CACHE to a folder that you can write");
    examine_folder("locks", lock_folder(),
                   "set PLUMBLINE_LOCKS to a folder that all users of the device can write");
    examine_folder("runs", project_.places.runs, "give another folder with --runs");
    return findings_;
  }

 private:
  void add(State state, const std::string& what, const std::string& found,
           const std::string& advice = "") {
    findings_.push_back({state, what, found, advice});
  }

  void examine_project() {
    try {
      project_ = find_project(".", places_);
      add(State::good, "project", project_.base);
    } catch (const Error& error) {
      add(State::wrong, "project", error.what(), "mend plumbline.yaml");
    }
    const Tree tree = tree_of(".");
    if (tree.root.empty())
      add(State::note, "git", "no tree here, or no git: runs do not know their commit");
    else
      add(State::good, "git",
          tree.commit.substr(0, 10) + (tree.dirty == "yes" ? " with uncommitted changes" : ""));
  }

  /// True if there is a worker and a device to continue with.
  bool examine_worker() {
    const std::string advice = how_to_get_worker(program_folder());
    try {
      worker_ = find_worker(asked_, project_.worker);
      if (!worker_) {
        add(State::wrong, "worker", "none in " + program_folder(), advice);
        return false;
      }
      const auto devices = worker_->devices();
      add(State::good, "worker", worker_->path());
      tell_torch();
      tell_python();
      for (const WorkerDevice& device : devices) {
        tell_device(device);
        for (Observation& limit : device_limits(device.name, device.environment))
          findings_.push_back(std::move(limit));
        tell_locked_clock(device.environment.device_uuid());
      }
      const bool has_gpu = devices.front().name.starts_with("cuda");
      for (Observation& limit : machine_limits("/", has_gpu)) findings_.push_back(std::move(limit));
      device_ = choose_devices(devices, wanted_device(asked_, project_)).front();
    } catch (const Error& error) {
      add(State::wrong, "worker", error.what(),
          worker_ ? "run it by hand with --devices; a missing library is named by ldd" : advice);
      return false;
    }
    return true;
  }

  /// For a worker in a Python environment: reports its torch.
  void tell_torch() {
    const auto environment = environment_of_program(program_folder());
    if (!environment || !worker_->path().starts_with(environment->packages)) return;
    if (const auto torch = torch_of(*environment)) add(State::good, "torch", in_words(*torch));
  }

  /// Reports the Python in which functions of suites run.
  void tell_python() try {
    const HostPython python = worker_->python();
    add(State::good, "Python",
        fmt::format("{} {}{}", python.program, python.version,
                    python.triton.empty() ? ", without Triton" : ", Triton " + python.triton));
  } catch (const Error& error) {
    add(State::note, "Python", error.what());
  }

  void tell_device(const WorkerDevice& device) {
    const Environment& e = device.environment;
    const auto holder = lock_holder(e.device_uuid());
    std::string found = fmt::format("{}, {}", e.device_class, e.device_uuid());
    if (e.device_memory_bytes)
      found += fmt::format(", {:.0f} GiB", double(*e.device_memory_bytes) / (1 << 30));
    if (holder) found += ", in use by " + *holder;
    add(holder ? State::note : State::good, device.name, found,
        holder ? "a run on it is refused until that one ends" : "");
  }

  void tell_locked_clock(const std::string& device_uuid) {
    if (const auto who = clock_left_locked(device_uuid))
      add(State::wrong, "clock", "left locked by " + *who,
          "nvidia-smi --reset-gpu-clocks -i " + device_uuid +
              ", or plumbline run --lock-clocks, which restores it");
  }

  /// Starts a worker as a run does, unless that would disturb a run.
  void examine_device() {
    const std::string uuid = device_->environment.device_uuid();
    if (const auto holder = lock_holder(uuid)) return;
    try {
      const ScratchFolder folder;
      WorkerProcess process(worker_->command(*device_, folder.path() + "/worker.log"), {}, nullptr);
      const Environment& e = process.hello().environment;
      process.finish();
      const std::pair<const char*, const std::string*> libraries[] = {
          {"driver", &e.driver}, {"CUDA", &e.cuda_runtime}, {"cuDNN", &e.cudnn},
          {"cuBLAS", &e.cublas}, {"LibTorch", &e.libtorch}, {"compiler", &e.compiler}};
      std::string text;
      for (const auto& [name, version] : libraries)
        if (!version->empty())
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *version);
      if (!e.cudnn_library.empty()) text += "; cuDNN is " + e.cudnn_library;
      add(State::good, "libraries", text.empty() ? "none named" : text);
      add(State::good, "start", "a worker started on " + device_->name);
    } catch (const Error& error) {
      add(State::wrong, "start", error.what(),
          "without it nothing is measured on " + device_->name);
    }
  }

  void examine_sandbox() try {
    require_sandbox();
    const std::vector<std::string> gaps =
        gaps_in(limit_means(), with_defaults(ResourceLimits{}), group_place().why_not);
    for (const std::string& gap : gaps) add(State::note, "sandbox", gap);
    if (gaps.empty())
      add(State::good, "sandbox",
          fmt::format("bubblewrap makes one; control groups limit its memory ({}) and processes",
                      bytes_in_words(default_memory_bytes(group_place()))));
  } catch (const Error& error) {
    add(State::note, "sandbox", error.what());
  }

  void examine_baselines() try {
    const std::string& all = project_.places.baselines;
    const fs::path folder = fs::path(all) / baseline_folder(all, device_->environment);
    std::string suites;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".csv")
        suites += (suites.empty() ? "" : ", ") + entry.path().stem().string();
    if (suites.empty())
      add(State::note, "baselines", "none accepted in " + folder.string(),
          "after a run: plumbline accept RUN");
    else
      add(State::good, "baselines", suites + " in " + folder.string());
  } catch (const Error& error) {
    add(State::wrong, "baselines", error.what(), "restore the file, or move it away");
  }

  /// Reports whether files can be created in a folder, or in the nearest parent that exists.
  void examine_folder(const std::string& what, const std::string& folder,
                      const std::string& advice) {
    if (folder.empty()) return;
    std::error_code none;
    fs::path there = fs::absolute(folder);
    while (!fs::exists(there, none) && there != there.parent_path()) there = there.parent_path();
    const bool can_write = access(there.c_str(), W_OK | X_OK) == 0;
    const auto space = fs::space(there, none);
    const double free_gib = double(space.available) / (1 << 30);
    if (!can_write)
      add(State::wrong, what, folder + " cannot be written", advice);
    else if (!none && free_gib < 0.1)
      add(State::wrong, what, folder + " is on a full disk", "free some space, or " + advice);
    else
      add(State::good, what, folder);
  }

  const WorkerRequest& asked_;
  const PlaceRequest& places_;
  std::vector<Observation> findings_;
  Project project_;
  std::optional<WorkerProgram> worker_;
  std::optional<WorkerDevice> device_;
};

}  // namespace

std::vector<Observation> examine_machine(const WorkerRequest& worker, const PlaceRequest& places) {
  return Examination(worker, places).run();
}

}  // namespace plumbline
