/// What `gc` does: finds what Plumbline left in its cache and in a folder of runs and no longer
/// needs, and removes it.
///
/// Never leaves something half removed: a folder goes to the trash in one step (trash.h), and a
/// command that was killed is finished by the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workflow/cleaning/leftovers.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct CleanRequest {
  bool cache = false, environments = false, runs = false;  // what is looked into
  double older_than_s = 0;
  std::optional<std::size_t> keep;  // finished runs of each device class
  PlaceRequest places;              // of runs and baselines
  bool is_dry = false;              // nothing is removed
};

struct CleanResult {
  std::vector<Leftover> removed, kept;  // removed: or what would be, in a dry run
  std::vector<std::string> failures;    // what could not be removed, and why
  std::uint64_t bytes = 0;              // of `removed`
};

/// Throws Error where something that must be known first cannot be read; then nothing was removed.
CleanResult clean(const CleanRequest& request, Talk& talk);

}  // namespace plumbline
