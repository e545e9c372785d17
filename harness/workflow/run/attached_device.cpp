#include "workflow/run/attached_device.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "store/file.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {
namespace {

/// The first line of a file of the kernel; "" if there is none.
std::string line_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return "";
  const std::string text = read_text(path);
  return text.substr(0, text.find('\n'));
}

/// The device with most work, which is the one that is described.
const AttachedDevice* main_device(const std::vector<AttachedProcess>& processes) {
  std::map<std::string, std::size_t> counts;
  std::map<std::string, const AttachedDevice*> devices;
  for (const AttachedProcess& process : processes)
    for (const AttachedActivity& activity : process.activities)
      if (const auto found = process.devices.find(activity.device);
          found != process.devices.end()) {
        ++counts[found->second.uuid];
        devices[found->second.uuid] = &found->second;
      }
  const auto most = std::ranges::max_element(counts, {}, [](auto& entry) { return entry.second; });
  return most == counts.end() ? nullptr : devices[most->first];
}

Environment as_told_by_cupti(const AttachedDevice* device) {
  Environment e;
  e.device_kind = "cuda";
  e.device_class = e.device_model = "unknown GPU";
  if (device != nullptr) {
    e.device_class = e.device_model = device->name;
    e.device_units = device->units;
    e.device_memory_bytes = device->memory_bytes;
    e.device_l2_bytes = device->l2_bytes;
  }
  e.driver = line_of("/sys/module/nvidia/version");
  utsname system{};
  if (uname(&system) == 0) {
    e.kernel = system.release;
    e.host = system.nodename;
  }
  e.boot_id = line_of("/proc/sys/kernel/random/boot_id");
  return e;
}

/// What a worker says of itself does not hold for the program.
void forget_worker(Environment& e) {
  for (const EnvironmentField& field : environment_fields())
    if (field.kind == EnvironmentKind::subject || field.name == "connections" ||
        field.name == "allocator" || field.name == "threads" || field.name == "cudnn_library")
      field.read("", e);
}

}  // namespace

std::vector<std::string> devices_in(const std::vector<AttachedProcess>& processes) {
  std::vector<std::string> uuids;
  for (const AttachedProcess& process : processes) {
    std::set<std::int64_t> used;
    for (const AttachedActivity& activity : process.activities) used.insert(activity.device);
    for (const auto& [number, device] : process.devices)
      if (used.contains(number) && std::ranges::find(uuids, device.uuid) == uuids.end())
        uuids.push_back(device.uuid);
  }
  return uuids;
}

Environment environment_of(const std::vector<AttachedProcess>& processes,
                           const WorkerRequest& worker, const std::string& project_worker,
                           Talk& talk) {
  const AttachedDevice* const device = main_device(processes);
  Environment found = as_told_by_cupti(device);
  std::string why_not = "no plumbline-worker is installed";
  try {
    if (const auto program = find_worker(worker, project_worker)) {
      why_not = "the worker does not know it";
      for (const WorkerDevice& known : program->devices())
        if (device != nullptr && known.environment.device_uuid() == device->uuid) {
          found = known.environment;
          why_not.clear();
        }
    }
  } catch (const Error& error) {
    if (!worker.worker.empty()) throw;
    why_not = error.what();
  }
  if (!why_not.empty())
    talk.note("the device is known only as " + found.device_class +
              ", without power limit, ECC and clocks: " + why_not);
  forget_worker(found);
  found.device_uuids = devices_in(processes);
  return found;
}

}  // namespace plumbline
