/// What devices or variants come to, in sentences.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// "NVIDIA GB300 is the fastest of 10: 1.47 times as fast as NVIDIA H200 on average, 0.25 to 3.2
/// times by case.": the first line.
std::string devices_sentence(const DeviceTable& table);

/// What a reader needs beside it: what × is, what means are over, how far intervals reach, what
/// cards differ by.
std::vector<std::string> devices_notes(const DeviceTable& table);

/// What is not known of the numbers: single values, what runs differ by, calibration, cases left
/// out.
std::vector<std::string> devices_doubts(const DeviceTable& table);

/// What prices were given, and what is missing for work for the money; "" where none was given.
std::string price_note(const DeviceTable& table);

/// All of these.
std::vector<std::string> devices_caveats(const DeviceTable& table);

/// "275 cases", of several metrics "550 values of 275 cases": what means are over.
std::string common_words(const DeviceTable& table);

}  // namespace plumbline
