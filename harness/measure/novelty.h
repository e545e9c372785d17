/// Are launches faster on what they have seen? A hot launch repeats its contents, and its results
/// are there already: an implementation that kept them would look fast.
///
/// In turns, a launch on contents that were launched on as often as a block does, with their
/// results in place, and one on new contents with poison there, each by itself behind the same work
/// on the device. A
/// GPU's kernel cannot honestly tell them apart. A CPU can: its branch predictor learns the values
/// that decide branches (a sort of 1,000 numbers takes 51 us on new ones and 19 us the second
/// time). There the new contents are near the seen ones: branches fall as they did, and most
/// numbers are others.
#pragma once

#include <string>

#include "device/device.h"
#include "measure/scrutiny.h"

namespace plumbline {

/// What was found, in words; "" = nothing. `timer`: events or the host's clock. `exposures`:
/// launches on contents until they count as seen. Throws what launches throw.
std::string faster_on_seen(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                           bool is_held, Timer timer, int exposures);

/// Is a launch right behind another, as in a batch, faster where that one's results are in place?
/// Results are in the host's memory. Launches by `plan`, once with a random piece of the results
/// overwritten in between, once with the same bytes written back. What was found, in words; "" =
/// nothing. Throws where somebody still writes the results of a launch that is over.
std::string faster_in_place(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                            BlockPlan plan);

}  // namespace plumbline
