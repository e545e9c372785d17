#include "workflow/bundle/fitness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace plumbline {
namespace {

/// What computes the cases of a backend: names of environment_fields().
struct Computes {
  std::string_view backend;
  std::vector<std::string_view> fields;
};

const std::array kComputes{
    Computes{"libtorch", {"libtorch", "cudnn", "cublas"}},
    Computes{"cudnn", {"cudnn"}},
    Computes{"nccl", {"nccl"}},
    Computes{"custom", {"harness_commit"}},
    Computes{"worker", {"worker_hash"}},
};
/// Code in Python: Triton, torch.compile, networks.
const Computes kPython{"custom", {"libtorch", "triton", "cudnn", "cublas"}};

const Computes* computing(const std::string& backend, OwnCode own) {
  if (backend == "custom" && own == OwnCode::compiled) return nullptr;  // it is in the bundle
  if (backend == "custom" && own == OwnCode::python) return &kPython;
  const auto row = std::ranges::find(kComputes, backend, &Computes::backend);
  return row == kComputes.end() ? nullptr : &*row;
}

std::string text_of(std::string_view field, const Environment& environment) {
  return environment_field(field)->text(environment);
}

}  // namespace

std::string device_difference(const Environment& recorded, const Environment& here) {
  for (const std::string_view name : {"device_kind", "device_class", "device_units"}) {
    const std::string then = text_of(name, recorded), now = text_of(name, here);
    if (then.empty()) return fmt::format("the comparison does not say its device ({})", name);
    if (then != now)
      return fmt::format("it was measured on another device: {} there, {} here ({})", then,
                         now.empty() ? "unknown" : now, environment_field(name)->label);
  }
  return "";
}

std::string library_difference(const Finding& claim, OwnCode own, const Environment& recorded,
                               const Environment& here) {
  const Computes* const row = computing(claim.backend, own);
  if (row == nullptr) return "";
  for (const std::string_view name : row->fields) {
    const std::string then = text_of(name, recorded), now = text_of(name, here);
    if (then.empty() || now.empty() || then == now) continue;
    return fmt::format("{} computes it, and differs: {} there, {} here",
                       environment_field(name)->label, then, now);
  }
  return "";
}

}  // namespace plumbline
