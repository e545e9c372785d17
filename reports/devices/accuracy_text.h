/// What variants cost in accuracy, in sentences and cells: the same in a terminal, in Markdown and
/// on the page.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// The beginning of the first line: which variants cost accuracy, else that none does, and the
/// smallest loss that would have been seen. "" if no accuracy was measured.
std::string accuracy_sentence(const DeviceTable& table);

/// How losses are told from what seeds differ by; nothing if no accuracy was measured.
std::vector<std::string> accuracy_notes(const DeviceTable& table);

/// "90.4 % ± 0.6": mean and standard deviation over the seeds; an en dash if unknown.
std::string accuracy_text(const VariantAccuracy& accuracy);

/// "−1.2 points [−2.0, −0.4]", with its 95 % interval; an en dash if unknown.
std::string difference_text(const VariantAccuracy& accuracy);

/// "0.9 points": the smallest visible loss; an en dash if unknown.
std::string visible_text(const VariantAccuracy& accuracy);

}  // namespace plumbline
