#include "simulation/scenario.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "schedule/plan.h"
#include "simulation/kernel.h"

namespace plumbline::simulation {
namespace {

constexpr double kNoise = 2e-4;  // relative, uniform: far below every planted change
constexpr std::size_t kBlocks = 2, kSamples = 2;
constexpr double kTimeout_s = 120;
constexpr const char* kSuite = "s";

bool has_no_samples(Fate fate) { return fate >= Fate::wrong; }

/// A number in [0, 1) for each visit, metric, block and sample of each side.
double noise(std::uint64_t seed, SideNumber side, const VisitKey& visit, std::size_t metric,
             std::size_t sample) {
  std::uint64_t hash = seed * 2 + side;
  for (const std::uint64_t part :
       {std::uint64_t(visit.subject), std::uint64_t(visit.round), std::uint64_t(visit.profile),
        std::uint64_t(visit.nth), std::uint64_t(metric), std::uint64_t(sample)})
    hash = mixed(hash + 0x9e3779b97f4a7c15ULL) ^ (part + 1) * 0xd1342543de82ef95ULL;
  return double(mixed(hash) >> 11) * 0x1p-53;
}

Status status_of(Fate fate) {
  switch (fate) {
    case Fate::refused:
      return Status::unsupported;
    case Fate::unverified:
      return Status::unverified;
    case Fate::wrong:
      return Status::wrong;
    case Fate::crashed:
    case Fate::contradicts:
      return Status::crashed;
    case Fate::hung:
      return Status::timeout;
    case Fate::too_large:
      return Status::out_of_memory;
    default:
      return Status::ok;
  }
}

Case make_case(std::size_t i, Dice& dice, const Scenario& scenario, Fate fate, bool has_trace) {
  Case c;
  c.suite = kSuite;
  c.name = c.op = "op" + std::to_string(i % 3);
  c.backend = "libtorch";
  c.id = c.name + "/libtorch/n=" + std::to_string(i);
  c.revision = "1";
  auto policy = std::make_shared<Policy>();
  policy->rounds = scenario.rounds;
  policy->metrics = {"gpu_time"};
  if (has_trace) policy->metrics.emplace_back("kernel_time");
  policy->cache = {"cold"};
  policy->timeout_s = kTimeout_s;
  policy->seed = std::int64_t(scenario.seed >> 1);
  c.policy = policy;
  if (fate == Fate::excluded) c.excluded = "planted, with \"quotes\", commas\nand lines";
  if (fate == Fate::impossible) c.unsupported = "planted";
  if (scenario.devices > 1 && dice.chance(0.1)) c.params["ranks"] = std::int64_t(2);
  return c;
}

Fate draw_fate(Dice& dice) {
  constexpr std::array kRare{Fate::excluded, Fate::impossible, Fate::refused,    Fate::unverified,
                             Fate::absent,   Fate::stains,     Fate::wrong,      Fate::crashed,
                             Fate::hung,     Fate::too_large,  Fate::contradicts};
  return dice.chance(0.3) ? kRare[dice.below(kRare.size())] : Fate::fine;
}

PlantedCase draw_planted(Dice& dice, std::int64_t rounds) {
  PlantedCase planted;
  planted.fate[0] = planted.fate[1] = draw_fate(dice);
  planted.from_round[0] = planted.from_round[1] = std::int64_t(dice.below(std::uint64_t(rounds)));
  const Fate fate = planted.fate[0];
  if (fate == Fate::excluded || fate == Fate::impossible) return planted;
  if (dice.chance(0.1)) planted.fate[1] = has_no_samples(fate) ? Fate::fine : Fate::wrong;
  if (planted.fate[0] == Fate::fine && planted.fate[1] == Fate::fine && dice.chance(0.25))
    planted.change = dice.chance(0.5) ? 1.0 : -0.5;
  return planted;
}

}  // namespace

bool Scenario::has_trace() const {
  return std::ranges::any_of(cases, [](const Case& c) { return c.policy->metrics.size() > 1; });
}

std::size_t Scenario::position_of(const std::string& id) const {
  const auto found = std::ranges::find(cases, id, &Case::id);
  if (found == cases.end()) violate("found case '" + id + "', which no suite declares");
  return std::size_t(found - cases.begin());
}

Status Scenario::status(const VisitKey& visit, SideNumber side) const {
  const PlantedCase& own = planted[visit.subject];
  if (lacks_trace && visit.profile == Profile::trace) return Status::unsupported;
  const Fate fate = own.fate[side];
  if (has_no_samples(fate) && visit.round < own.from_round[side]) return Status::ok;
  return status_of(fate);
}

MeasureAnswer Scenario::answer(const VisitKey& visit, SideNumber side) const {
  MeasureAnswer answer;
  const PlantedCase& own = planted[visit.subject];
  const Fate fate = own.fate[side];
  answer.status = status(visit, side);
  if (answer.status != Status::ok) answer.reason = "planted";
  if (fate == Fate::contradicts && answer.status == Status::crashed) {
    answer.status = Status::ok;
    answer.reason.clear();
    return answer;
  }
  if (!has_samples(answer.status)) return answer;
  const bool is_trace = visit.profile == Profile::trace;
  if (fate == Fate::stains) answer.left_behind = "threads: 1 -> 4";
  if (fate == Fate::absent) answer.absent[is_trace ? "kernel_span_cold" : "host_time"] = "planted";
  MeasuredMetric& reading = answer.metrics.emplace_back();
  reading.metric = is_trace ? "kernel_time_cold" : "gpu_time_cold";
  reading.unit = "s";
  const double whole = 1e-4 * double(1 + visit.subject) * (side == 1 ? 1 + own.change : 1);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    std::array<double, kSamples> block;
    for (std::size_t i = 0; i < kSamples; ++i)
      block[i] = whole * (1 + kNoise * noise(seed, side, visit, is_trace, b * kSamples + i));
    reading.samples.add_block(block);
  }
  return answer;
}

std::map<VisitKey, Status> Scenario::expected(const std::vector<std::size_t>& subjects,
                                              SideNumber side) const {
  std::map<VisitKey, Status> visits;
  for (const std::size_t subject : subjects) {
    if (!is_runnable(cases[subject])) continue;
    std::vector<Profile> profiles = profiles_of(cases[subject], "cuda");
    for (std::int64_t round = 0; round < rounds && !profiles.empty(); ++round)
      for (const Profile profile : std::vector(profiles)) {
        const VisitKey visit{subject, round, profile, 0};
        const Status ended = visits[visit] = status(visit, side);
        if (has_samples(ended)) continue;
        if (ended == Status::unsupported) {
          std::erase(profiles, profile);
        } else {
          profiles.clear();
          break;
        }
      }
  }
  return visits;
}

bool Scenario::fails(std::size_t subject, SideNumber side) const {
  return has_no_samples(planted[subject].fate[side]);
}

Scenario scenario_of(std::uint64_t seed) {
  Dice dice = Dice(seed).apart(1);
  Scenario scenario;
  scenario.seed = seed;
  scenario.rounds = std::int64_t(dice.between(1, 3));
  scenario.devices = dice.chance(0.3) ? dice.between(2, 3) : 1;
  scenario.changes_devices = dice.chance(0.2);
  scenario.reuses_pids = dice.chance(0.2);
  const bool has_trace = dice.chance(0.25);
  scenario.lacks_trace = has_trace && dice.chance(0.3);
  const std::size_t count = dice.between(1, 7);
  for (std::size_t i = 0; i < count; ++i) {
    scenario.planted.push_back(draw_planted(dice, scenario.rounds));
    scenario.cases.push_back(make_case(i, dice, scenario, scenario.planted.back().fate[0],
                                       has_trace && dice.chance(0.8)));
  }
  const auto runnable = std::size_t(std::ranges::count_if(scenario.cases, is_runnable));
  if (dice.chance(0.35)) scenario.shards = std::min<std::size_t>(dice.between(2, 3), runnable);
  scenario.shards = std::max<std::size_t>(scenario.shards, 1);
  return scenario;
}

std::string device_uuid(std::size_t device) { return "GPU-" + std::to_string(device); }

std::string worker_hash(SideNumber side) { return side == 0 ? "aaaa" : "bbbb"; }

RunInfo info_of(const Scenario& scenario, SideNumber side, std::vector<std::string> uuids) {
  RunInfo info;
  info.plumbline = "0.0.0";
  info.command = {"plumbline", "run", "s.yaml"};
  info.asked.emplace();
  info.suites.push_back({kSuite, "s.yaml", "0123456789abcdef"});
  for (const Case& c : scenario.cases) info.suites[0].cases.push_back(c.id);
  info.policy = *scenario.cases.front().policy;
  info.environment.device_kind = "cuda";
  info.environment.device_class = info.environment.device_model = "Simulated GPU";
  info.environment.device_units = 100;
  info.environment.device_uuids = std::move(uuids);
  info.environment.driver = "1.0";
  info.environment.worker_hash = worker_hash(side);
  info.environment.commit = side == 0 ? "c0ffee00" : "facade00";
  return info;
}

}  // namespace plumbline::simulation
