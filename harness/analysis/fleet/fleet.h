/// Many devices of one or more classes: which of them are slower or faster than their class, by how
/// much, how sure that is, and since when.
///
/// Values are logarithms of times, so that a deviation of 0.05 is 5 % more time; above 0 is worse,
/// whatever the metric. A family is an op. Pure data: deviations.h, kinds.h, spread.h and judge.h
/// fill it; reports/ shows it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/environment.h"
#include "core/unknown.h"

namespace plumbline {

/// How a device or node did in one night in one family: the median over its measurements (case ×
/// metric) of the distance to the median of the class in that night.
struct FamilyDeviation {
  std::size_t count = 0;        // measurements; 0: none
  double value = kUnknown;      // against the class, before kinds are told apart
  double error = kUnknown;      // standard error by its own visits
  std::string worst_case = {};  // the measurement furthest off, in the latest night only
  double worst = kUnknown;
};

struct FleetCell {
  FamilyDeviation today;        // in the latest night of the device
  double deviation = kUnknown;  // against its kind
  double z = kUnknown;          // deviation / the spread of its class
  double p = 1;                 // adjusted for all tests of the fleet (Holm)
  bool is_outside = false;
  std::string since;           // for one that is outside: the first night of its present stretch
  std::size_t nights = 0;      // with a value
  std::size_t nights_out = 0;  // of the present stretch
  double before = kUnknown;    // median of the nights before the stretch
};

/// What was recorded beside the times, over the cases of the latest night.
struct FleetConditions {
  double temperature_c = kUnknown, power_w = kUnknown;  // highest
  double clock_hz = kUnknown;                           // median over cases
  std::size_t cases = 0, failed = 0, throttled = 0;     // throttled: for a cause outside the case
  std::map<std::string, std::size_t> throttle;          // cases by reason
  std::string first_failure;                            // case and reason
};

/// A device; or a node, which is the devices of one host and class.
struct FleetUnit {
  std::string name, host;  // UUID and host of a device; host, twice, of a node
  bool is_node = false;
  std::size_t of_class = 0, kind = 0;
  std::vector<std::size_t> devices;  // of a node: indices of units
  std::string night, run;            // the latest night, and the path of its run
  bool is_stale = false;             // not measured in the latest night of its class
  std::vector<FleetCell> cells;      // one for each family of the class
  FleetConditions conditions;        // of a node: over its devices
  Environment environment;           // of a device
  std::vector<std::string> differs;  // "driver 570.1, most have 580.159"
  std::size_t missing = 0;           // measurements that most of its class have

  bool is_outside() const;
  bool is_slower() const;  // outside, and worse
  /// The cell that is furthest outside, or the largest; nullptr without values.
  const FleetCell* worst() const;
};

/// Devices of one class that are alike; a class of one population has one kind.
struct FleetKind {
  std::size_t devices = 0;
  std::vector<double> offset;        // by family: against the class
  std::vector<std::string> differs;  // entries of the environment that tell it from the others
};

struct FleetFamily {
  std::string name;               // kAllFamilies for the first
  double spread = kUnknown;       // scale of devices about their kind
  double node_spread = kUnknown;  // of nodes
  double df = 0;                  // degrees of freedom of the reference distribution
  double seen = kUnknown;         // the smallest deviation of a device that is found half the time
};

inline constexpr const char* kAllFamilies = "all";

struct FleetClass {
  std::string name, device_kind;
  std::vector<FleetFamily> families;
  std::vector<FleetKind> kinds;
  std::string split_family;                  // that told the kinds apart
  std::vector<std::string> nights;           // dates, in order
  std::size_t devices = 0, nodes = 0;        // nodes with two devices or more
  std::string not_judged;                    // why no device of it is judged, or ""
  std::map<std::string, std::string> usual;  // entries of the environment that most devices have

  /// Whether half of the devices that are kClearlyOff off in all families would be missed: too few
  /// devices or nights, or too much noise.
  bool sees_little() const;
};

/// A device that is off by this much, a logarithm, has to be found.
inline constexpr double kClearlyOff = 0.05;

struct FleetRule {
  double rate = 0.01;       // probability of any false outlier in a fleet without one
  double kind_rate = 0.01;  // probability that a class of one kind is split
  double least = 0.01;      // smallest deviation that counts, log
  std::size_t devices = 4;  // that a class needs
};

struct Fleet {
  FleetRule rule;
  std::vector<FleetClass> classes;
  std::vector<FleetUnit> units;  // devices, then nodes
  std::size_t tests = 0;         // that share the rate
  std::size_t runs = 0;
  std::vector<std::string> notes;

  const FleetClass& class_of(const FleetUnit& unit) const { return classes[unit.of_class]; }
  const std::string& family(const FleetUnit& unit, std::size_t cell) const {
    return class_of(unit).families[cell].name;
  }
};

}  // namespace plumbline
