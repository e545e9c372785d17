/// Checks whether launches are faster on data that they have seen. A hot launch repeats its inputs,
/// and its results are already in place: an implementation that keeps results would look fast.
///
/// Two kinds of launches alternate, each alone after the same work on the device. One is on
/// contents that were launched on as often as in a block, with their results in place. The other is
/// on new contents, with poison in place of results. What looks suspicious after three turns is
/// looked at again, in a random order and with as many launches before both. An honest GPU kernel
/// takes equally long for both. A CPU does not: its branch predictor learns the values that decide
/// branches (a sort of 1,000 numbers takes 51 us on new ones and 19 us the second time). So a CPU's
/// new contents are near the seen ones: branches go the same way, but most numbers differ.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "device/device.h"
#include "measure/scrutiny.h"

namespace plumbline {

/// Seconds of a launch. `own_s` lacks what its thread waited for a processor that others had:
/// making new contents may use up the thread's turn, so that launches on them are interrupted more
/// often.
struct LaunchTime {
  double whole_s, own_s;
};

/// True if launches on new contents take `ratio` times as long as those on seen ones, in so many
/// turns at least. By both times: what waits until a moment of the clock has little time of its own
/// where it was interrupted.
bool looks_slower_on_new(std::span<const LaunchTime> on_new, std::span<const LaunchTime> on_seen,
                         std::size_t turns_at_least, double ratio);

/// Describes what was found; "": nothing. `timer`: events or the host's clock. `exposures`:
/// launches on contents until they count as seen. Throws what launches throw.
std::string faster_on_seen(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                           bool is_held, Timer timer, int exposures);

/// Checks whether a launch right after another, as in a batch, is faster if the other's results are
/// in place. For results in host memory. Launches by `plan` twice: with a random piece of the
/// results overwritten in between, and with the same bytes written back. Describes what was found;
/// "": nothing. Throws if something still writes the results of a finished launch.
std::string faster_in_place(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                            BlockPlan plan);

}  // namespace plumbline
