#include "analysis/variance/other_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace plumbline {
namespace {

std::string quoted(const std::string& text) { return text.empty() ? "unknown" : "'" + text + "'"; }

bool is_other(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

/// The kernel draws a random id for each boot.
bool is_one_boot(const MachineMarks& a, const MachineMarks& b) {
  return !a.boot_id.empty() && a.boot_id == b.boot_id;
}

bool is_other_host(const MachineMarks& a, const MachineMarks& b) {
  return is_other(a.host, b.host) && !is_one_boot(a, b);
}

void add(std::string_view name, const std::string& before, const std::string& now,
         std::string& text) {
  text += fmt::format("{}another {}: {} and {}", text.empty() ? "" : ", ", name, quoted(before),
                      quoted(now));
}

/// For one machine: what differs in its state.
std::string other_state(const Environment& before, const Environment& now) {
  std::string text;
  if (is_other(before.boot_id, now.boot_id)) text = "another boot";
  if (is_other(before.kernel, now.kernel)) add("kernel", before.kernel, now.kernel, text);
  if (is_other(before.driver, now.driver)) add("driver", before.driver, now.driver, text);
  return text;
}

/// Gives each run the number of the first run with the same key, and joins both groups.
class Joined {
 public:
  explicit Joined(std::size_t runs) : numbers_(runs) {
    std::iota(numbers_.begin(), numbers_.end(), std::size_t(0));
  }

  void join(std::size_t run, const std::string& uuid, const std::string& kind,
            const std::string& name) {
    const auto [place, is_new] = firsts_.try_emplace({uuid, kind, name}, run);
    if (is_new || numbers_[run] == numbers_[place->second]) return;
    const std::size_t from = numbers_[run], to = numbers_[place->second];
    std::ranges::replace(numbers_, std::max(from, to), std::min(from, to));
  }

  std::vector<std::size_t> numbers() && { return std::move(numbers_); }

 private:
  std::vector<std::size_t> numbers_;
  std::map<std::array<std::string, 3>, std::size_t> firsts_;
};

}  // namespace

MachineMarks marks_of(const Environment& environment) {
  return {environment.device_uuid(), environment.host, environment.boot_id};
}

MachineRelation relation_of(const Environment& before, const Environment& now) {
  const MachineMarks a = marks_of(before), b = marks_of(now);
  std::string text;
  if (!is_other(a.device_uuid, b.device_uuid) && is_other_host(a, b)) {
    add("host", a.host, b.host, text);
    return {Sameness::other_machine, text};
  }
  if (a.device_uuid.empty() || a.device_uuid != b.device_uuid)
    return {Sameness::other_device,
            fmt::format("{} and {}", quoted(a.device_uuid), quoted(b.device_uuid))};
  text = other_state(before, now);
  return {text.empty() ? Sameness::same : Sameness::other_state, text};
}

bool are_other_machines(const MachineMarks& a, const MachineMarks& b) {
  return a.device_uuid != b.device_uuid || is_other_host(a, b);
}

std::vector<std::size_t> machines_of(std::span<const MachineMarks> runs) {
  std::map<std::string_view, bool> names_hosts;  // by UUID: whether all of its runs name their host
  for (const MachineMarks& run : runs) {
    const auto [place, is_new] = names_hosts.try_emplace(run.device_uuid, true);
    place->second = place->second && !run.host.empty();
  }
  Joined joined(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const MachineMarks& run = runs[i];
    if (!names_hosts[run.device_uuid]) {
      joined.join(i, run.device_uuid, "", "");
      continue;
    }
    joined.join(i, run.device_uuid, "host", run.host);
    if (!run.boot_id.empty()) joined.join(i, run.device_uuid, "boot", run.boot_id);
  }
  return std::move(joined).numbers();
}

std::string relation_note(const MachineRelation& relation, double one_sd, double two_sd,
                          bool is_learned) {
  std::string text, why;
  switch (relation.sameness) {
    case Sameness::same:
      return "";
    case Sameness::other_state:
      text = fmt::format("The same machine in another state ({})", relation.what);
      why = "that can move single cases";
      break;
    case Sameness::other_device:
      text = fmt::format(
          "{} device of the same class ({})",
          relation.what.find("unknown") == std::string::npos ? "Another" : "Perhaps another",
          relation.what);
      why = "such devices differ";
      break;
    case Sameness::other_machine:
      text = fmt::format("Another machine with a device of the same class ({})", relation.what);
      why = "machines differ";
      break;
  }
  if (is_learned) return text + ": earlier runs measured how far such runs lie apart.";
  return fmt::format("{}: {}, so we assume that whole runs differ by {:.3g} %, not by {:.3g} %.",
                     text, why, 100 * two_sd, 100 * one_sd);
}

}  // namespace plumbline
