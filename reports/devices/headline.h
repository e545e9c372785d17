/// The result of comparing devices or variants, in sentences.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// The first line: "NVIDIA GB300 is the fastest of 10: 1.47 times as fast as NVIDIA H200 on
/// average, 0.25 to 3.2 times by case."
std::string devices_sentence(const DeviceTable& table);

/// Notes that a reader needs: the meaning of ×, the cases in the means, the widths of intervals,
/// the spread between cards.
std::vector<std::string> devices_notes(const DeviceTable& table);

/// Limits of the numbers: single values, differences between runs, calibration, cases left out.
std::vector<std::string> devices_doubts(const DeviceTable& table);

/// The given prices, and what is missing to compare work for the money; "" without prices.
std::string price_note(const DeviceTable& table);

/// All notes, doubts and the price note.
std::vector<std::string> devices_caveats(const DeviceTable& table);

/// The cases in the means: "275 cases", with several metrics "550 values of 275 cases".
std::string common_words(const DeviceTable& table);

}  // namespace plumbline
