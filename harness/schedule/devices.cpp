#include "schedule/devices.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/op/ranks.h"
#include "schedule/agenda.h"

namespace plumbline {
namespace {

/// The progress of all devices, and their shared callbacks.
class Together {
 public:
  Together(const ScheduleEvents& events, std::size_t devices)
      : events_(events), progress_(devices) {}

  /// The expected work of a device, until it reports progress itself.
  void expect(std::size_t device, const Plan& plan) {
    const Agenda agenda(plan);
    progress_[device] = {0, agenda.rounds(), agenda.finished(), agenda.planned(), kUnknown};
  }

  ScheduleEvents events_of(std::size_t device, const std::string& name) {
    ScheduleEvents own;
    own.on_visit = [this](const Case& c, std::span<const ResultRow> rows) {
      keep([&] { events_.on_visit(c, rows); });
    };
    own.on_files = [this](const Case& c, std::span<const FileRef> files) {
      keep([&] { events_.on_files(c, files); });
    };
    own.on_worker = [this](const WorkerRecord& worker) {
      keep([&] { events_.on_worker(worker); });
    };
    own.on_progress = [this, device](const Case& c, const Progress& progress) {
      const std::lock_guard guard(mutex_);
      progress_[device] = progress;
      events_.on_progress(c, sum());
    };
    own.on_note = [this, name](const std::string& note) {
      const std::lock_guard guard(mutex_);
      if (!failure_) events_.on_note(name + ": " + note);
    };
    return own;
  }

  const std::exception_ptr& failure() const { return failure_; }

 private:
  /// After one failure nothing more is stored: the files may no longer be consistent.
  template <class Action>
  void keep(Action action) {
    const std::lock_guard guard(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }

  /// The sum of all devices: it has the round of the slowest and the remaining time of the last.
  Progress sum() const {
    Progress all;
    all.round = INT64_MAX;
    for (const Progress& one : progress_) {
      const bool is_through = one.finished >= one.planned;
      if (!is_through) all.round = std::min(all.round, one.round);
      all.rounds = std::max(all.rounds, one.rounds);
      all.finished += one.finished;
      all.planned += one.planned;
      if (std::isnan(all.remaining_s) || one.remaining_s > all.remaining_s)
        all.remaining_s = one.remaining_s;
    }
    all.round = std::min(all.round, all.rounds - 1);
    return all;
  }

  const ScheduleEvents& events_;
  std::mutex mutex_;
  std::vector<Progress> progress_;
  std::exception_ptr failure_;
};

void add(ScheduleResult& sum, const ScheduleResult& one) {
  sum.interrupted |= one.interrupted;
  sum.visits += one.visits;
  sum.workers += one.workers;
  sum.processes_s += one.processes_s;
  sum.visits_s += one.visits_s;
  for (const auto& [phase, seconds] : one.spent_s) sum.spent_s[phase] += seconds;
}

/// The part of a run on one device, or on all together.
struct Part {
  Plan plan;
  ScheduleEvents events;
  ScheduleResult result;
  std::optional<Error> mistake;
  std::exception_ptr fault;  // an exception other than Error
};

/// The cases of each device. Those with several ranks need several devices at a time: they come
/// last, as a share of their own, which the first device's workers measure while nothing else runs.
std::vector<std::vector<Case>> shares_of(const Plan& plan, std::span<const RunDevice> devices) {
  std::vector<std::vector<Case>> shares(devices.size());
  std::vector<Case> of_all;
  const std::vector<std::size_t> device_of = spread_cases(plan, devices.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    const auto home = plan.homes.find({c.suite, c.id});
    const auto place = home == plan.homes.end()
                           ? devices.end()
                           : std::ranges::find(devices, home->second, &RunDevice::uuid);
    const std::size_t own =
        place == devices.end() ? device_of[i] : std::size_t(place - devices.begin());
    (ranks_of(c.params) > 1 ? of_all : shares[own]).push_back(c);
  }
  if (!of_all.empty()) shares.push_back(std::move(of_all));
  return shares;
}

void run_part(Part& part, const RunDevice& device, Interrupt* interrupt) {
  try {
    part.result = run_cases(part.plan, device.factory, part.events, interrupt);
  } catch (const WorkerReplaced&) {
    part.fault = std::current_exception();  // the others' next workers are replaced as well
  } catch (const Error& error) {
    part.mistake.emplace(device.name + ": " + error.what());
    part.events.on_note("it is not used any more: " + std::string(error.what()));
  } catch (...) {
    part.fault = std::current_exception();
  }
}

}  // namespace

void in_threads(std::span<const std::function<void()>> functions) {
  std::vector<std::jthread> threads;
  for (const std::function<void()>& function : functions) threads.emplace_back(function);
}

ScheduleResult run_on_devices(const Plan& plan, std::span<const RunDevice> devices,
                              const ScheduleEvents& events, Interrupt* interrupt,
                              const RunAll& run_all) {
  if (devices.size() == 1) {
    Plan only = plan;
    only.device_uuid = devices[0].uuid;
    return run_cases(only, devices[0].factory, events, interrupt);
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::vector<Case>> shares = shares_of(plan, devices);
  Together together(events, shares.size());
  std::vector<Part> parts(shares.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RunDevice& device = devices[i % devices.size()];
    parts[i].plan = plan;
    parts[i].plan.cases = shares[i];
    parts[i].plan.device_uuid = device.uuid;
    parts[i].events = together.events_of(i, device.name);
    together.expect(i, parts[i].plan);
  }
  std::vector<std::function<void()>> work;
  for (std::size_t d = 0; d < devices.size(); ++d)
    work.emplace_back([&, d] { run_part(parts[d], devices[d], interrupt); });
  run_all(work);
  const bool has_fault = std::ranges::any_of(parts, [](const Part& p) { return bool(p.fault); });
  if (parts.size() > devices.size() && !together.failure() && !has_fault)
    run_part(parts.back(), devices.front(), interrupt);
  if (together.failure()) std::rethrow_exception(together.failure());
  ScheduleResult result;
  for (const Part& part : parts) add(result, part.result);
  for (const Part& part : parts)
    if (part.fault) std::rethrow_exception(part.fault);
  if (result.interrupted && interrupt != nullptr)
    (void)interrupt->requested();  // restores this thread's signal mask, too
  for (const Part& part : parts)
    if (part.mistake && !result.interrupted) throw *part.mistake;
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.devices = devices.size();
  result.wall_s = elapsed_s * static_cast<double>(devices.size());
  return result;
}

}  // namespace plumbline
