/// Runs of many devices, night by night: what is kept of them are the deviations of each device
/// from its class in each night, by family.
///
/// A night's samples are released when it ends, so that the memory is that of one night. Knows no
/// file; judge.h says which devices are outside.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "analysis/fleet/fleet.h"

namespace plumbline {

/// A family in one night of a device; single precision is finer than any spread.
struct FamilyValue {
  float value = float(kUnknown), error = float(kUnknown);
  std::uint32_t count = 0;
};

struct DeviceNight {
  std::size_t night = 0;              // index in FleetClass::nights
  std::vector<FamilyValue> families;  // may be shorter than those of the class
};

struct DeviceSeries {
  FleetUnit unit;  // its cells are those of the latest night; its kind is not set yet
  std::vector<DeviceNight> nights;
};

/// What judge.h judges.
struct FleetSeries {
  std::vector<FleetClass> classes;
  std::vector<DeviceSeries> devices;
  std::vector<std::string> notes;
  std::size_t runs = 0;
};

/// The devices of `class_devices` that a measurement needs in a night, so that its middle is that
/// of the class.
inline constexpr std::size_t kLeastDevices = 3;

class FleetNights {
 public:
  /// `metrics`: only these; empty = all judged ones. `devices`: of a class, for a middle.
  explicit FleetNights(std::vector<std::string> metrics, std::size_t devices = kLeastDevices);

  /// Adds a run of this night; a run of several devices is divided by the device of its rows. Runs
  /// that do not name their device or class are left out, with a note.
  void add(const RunInfo& info, std::span<const CaseSummary> rows, const std::string& path);

  /// Ends the night of this name (a date). Nights come in the order of time.
  void end_night(const std::string& name);

  FleetSeries finish() &&;

 private:
  struct Value {
    std::uint32_t measurement, device;  // device: index in series_.devices
    double log, variance;
  };
  struct Measurement {
    std::string name;  // case and metric
    std::size_t of_class, family;
  };
  struct Distance;  // of a value from the middle of its class

  std::size_t class_of(const Environment& environment);
  std::size_t device_of(const RunInfo& info, const std::string& uuid, const std::string& path);
  void add_row(const RunInfo& info, const CaseSummary& row, std::size_t device);
  std::vector<Distance> distances();
  void keep(std::span<const Distance> of_device, std::size_t night);
  void set_missing();

  std::vector<std::string> metrics_;
  std::size_t least_;
  FleetSeries series_;
  std::map<std::string, std::size_t, std::less<>> classes_;
  std::map<std::pair<std::string, std::string>, std::size_t> devices_;  // by UUID and host
  std::map<std::string, std::uint32_t, std::less<>> measurement_ids_;
  std::vector<Measurement> measurements_;
  std::vector<Value> values_;       // of this night
  std::set<std::size_t> measured_;  // devices of this night
  std::set<std::string> without_direction_;
};

}  // namespace plumbline
