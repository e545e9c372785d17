/// Nights of a fleet whose truth is known, from the recorded parts of the variance (noise_priors.h,
/// docs/evidence/repeatability.md): cards, nights, processes, two kinds of one model, and planted
/// cards, nodes and a regression.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/moment.h"
#include "core/run/run.h"

namespace plumbline {

struct FleetModel {
  std::size_t devices = 32, per_node = 8, nights = 1;
  std::size_t families = 20, cases = 153;
  double card_scale = 0.0016;     // of a case on a card: Student's t, 4 degrees of freedom
  double card_family_sd = 0.001;  // of a family on a card
  double night_median = 0.0018, night_p90 = 0.0063;  // sd of a case's nights, log-normal over cases
  double process_sd = 0.0025;
  double second_kind = 0;  // share of nodes that are of the second kind
  std::vector<std::size_t> slow_devices = {}, slow_nodes = {};
  double slow_by = 0.05;        // log, of what is planted
  std::size_t slow_family = 0;  // 1 to `families`; 0: all of them
  std::size_t slow_from = 0;    // night
  double regression = 0;        // log, of every twentieth case, in the last night
  std::uint64_t seed = 1;
};

/// The same numbers on every machine with one standard library.
class SimulatedFleet {
 public:
  explicit SimulatedFleet(const FleetModel& model) : model_(model), random_(model.seed) {
    const double spread = std::log(model.night_p90 / model.night_median) / 1.2816;
    for (std::size_t i = 0; i < model.cases; ++i) {
      levels_.push_back(5e-6 * std::pow(10.0, double(i % 97) / 32));
      night_sds_.push_back(model.night_median * std::exp(spread * normal_(random_)));
      kind_offsets_.push_back(0.006 * normal_(random_) + (family_of(i) == 1 ? 0.038 : 0));
    }
    std::student_t_distribution<double> student(4);
    cards_.resize(model.devices);
    for (std::vector<double>& card : cards_) {
      std::vector<double> families(model.families + 1);
      for (double& one : families) one = model.card_family_sd * normal_(random_);
      for (std::size_t i = 0; i < model.cases; ++i)
        card.push_back(families[family_of(i)] + model.card_scale * student(random_));
    }
  }

  const FleetModel& model() const { return model_; }
  std::size_t family_of(std::size_t i) const { return 1 + i % model_.families; }
  std::size_t node_of(std::size_t device) const { return device / model_.per_node; }
  static std::string uuid(std::size_t device) { return "GPU-" + std::to_string(100000 + device); }
  static std::string host(std::size_t node) { return "node-" + std::to_string(1000 + node); }
  std::string case_id(std::size_t i) const {
    return "op" + std::to_string(family_of(i)) + "/libtorch/dtype=float16/n=" + std::to_string(i);
  }

  bool is_second_kind(std::size_t device) const {
    const std::size_t nodes = (model_.devices + model_.per_node - 1) / model_.per_node;
    return double(node_of(device)) < model_.second_kind * double(nodes);
  }

  bool is_slow(std::size_t device) const {
    return std::ranges::find(model_.slow_devices, device) != model_.slow_devices.end() ||
           std::ranges::find(model_.slow_nodes, node_of(device)) != model_.slow_nodes.end();
  }

  /// Three visits of a case.
  std::vector<double> visits(std::size_t device, std::size_t night, std::size_t i) {
    double log = std::log(levels_[i]) + cards_[device][i] + night_sds_[i] * normal_(random_);
    if (is_second_kind(device)) log += kind_offsets_[i];
    const bool is_planted = model_.slow_family == 0 || model_.slow_family == family_of(i);
    if (is_slow(device) && is_planted && night >= model_.slow_from) log += model_.slow_by;
    if (i % 20 == 0 && night + 1 == model_.nights) log += model_.regression;
    std::vector<double> means;
    for (int visit = 0; visit < 3; ++visit)
      means.push_back(std::exp(log + model_.process_sd * normal_(random_)));
    return means;
  }

  RunInfo info(std::size_t device, std::size_t night) const {
    RunInfo info;
    // Two o'clock in the night, and a second later for each device.
    const std::int64_t start = 1'767'232'800 + std::int64_t(night) * 86'400 + std::int64_t(device);
    info.started_at = utc_text({start});
    info.finished_at = utc_text({start + 600});
    Environment& environment = info.environment;
    environment.device_kind = "cuda";
    environment.device_class = environment.device_model = "NVIDIA H200";
    environment.device_uuids = {uuid(device)};
    environment.device_units = 132;
    environment.host = host(node_of(device));
    environment.driver = "580.159.04";
    environment.vbios = is_second_kind(device) ? "96.00.D0" : "96.00.A1";
    environment.commit = "c" + std::to_string(night);
    return info;
  }

  std::vector<CaseSummary> rows(std::size_t device, std::size_t night) {
    std::vector<CaseSummary> all;
    for (std::size_t i = 0; i < model_.cases; ++i) {
      const std::vector<double> means = visits(device, night, i);
      CaseSummary& row = all.emplace_back();
      row.suite = "fleet";
      row.case_id = case_id(i);
      row.op = "op" + std::to_string(family_of(i));
      row.backend = "libtorch";
      row.revision = "1";
      row.device = uuid(device);
      row.metric = "gpu_time_cold";
      row.unit = "s";
      row.rounds = 3;
      row.estimate = std::cbrt(means[0] * means[1] * means[2]);
      row.visit_sd = 0.0025;
      row.visit_means = means;
      row.temperature_c = 55;
      row.clock_hz = 1.98e9;
    }
    return all;
  }

 private:
  FleetModel model_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<double> levels_, night_sds_, kind_offsets_;
  std::vector<std::vector<double>> cards_;
};

}  // namespace plumbline
