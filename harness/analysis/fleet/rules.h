/// Rules of a fleet: which devices are to be drained or watched, by their deviations and by what
/// was recorded of them.
///
/// A rule holds if all of its conditions do. A condition that cannot be told (nothing was recorded,
/// or the deviation is not sure) makes it unknown, never "no". Pure: workflow/fleet/rule_file.h
/// reads the file.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/fleet/fleet.h"

namespace plumbline {

/// A number that was recorded of a device in its latest night.
struct FleetFact {
  std::string_view name, label;  // key of a rule file; for people
  std::string_view doc;
  std::optional<double> (*of)(const FleetUnit& device);
  bool is_flag = false;  // 0 or 1
};
std::span<const FleetFact> fleet_facts();

struct NumberLimit {
  enum class Relation { above, at_least, below, at_most, equal, unequal };
  const FleetFact* fact = nullptr;
  Relation relation = Relation::above;
  double limit = 0;
  std::string text;  // "> 0"
};

enum class FleetAction { drain, watch };

struct FleetRuleLine {
  std::string name;                // "" = made from its conditions
  std::string at;                  // FILE:LINE
  std::string device_class = "*";  // patterns (core/pattern.h)
  std::string family = "*";
  std::optional<double> slower_by;  // log: slower than its class by at least this
  std::vector<NumberLimit> limits;
  const EnvironmentField* differs = nullptr;  // unlike most of its class
  bool not_measured = false;                  // not in the latest night of its class
  FleetAction action = FleetAction::drain;
  bool ignores_unknown = false;
};

/// A unit that a rule holds of, or cannot be told of.
struct FleetHit {
  std::size_t unit = 0, rule = 0;
  bool is_known = true;
  std::string why;  // "gemm +6.1 % (family of 8 cases), ecc_uncorrected 2 > 0"
};

/// A host to drain and why, in the words of its rules.
struct DrainedNode {
  std::string host;
  std::vector<std::string> reasons;
};

struct FleetDecision {
  std::vector<FleetRuleLine> rules;
  std::vector<FleetHit> hits;        // in the order of rules, then units
  std::vector<DrainedNode> drained;  // by host
  std::vector<std::string> unknown;  // what could not be told, one line for each rule and reason

  /// Nothing is to be drained, and everything could be told.
  bool is_clean() const { return drained.empty() && unknown.empty(); }
};

FleetDecision decide(const Fleet& fleet, std::vector<FleetRuleLine> rules);

/// `scontrol update NodeName=… State=DRAIN Reason=…`, quoted for a shell. Nothing runs it here.
std::string drain_command(const DrainedNode& node);

/// "family gemm slower by 5 %, ecc_uncorrected > 0".
std::string rule_text(const FleetRuleLine& rule);

}  // namespace plumbline
