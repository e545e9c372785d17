/// Cases in doubt that others measure in pairs: the list of them, by device, and the judgement by
/// the folders that `ab` leaves. `check` does both in one process and on one device; a cluster
/// measures on the devices that measured the run.
///
/// Reads runs and writes a list; measures nothing.
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/confirm.h"
#include "suite/project_file.h"
#include "workflow/talk.h"

namespace plumbline {

/// A line for each case: the device that measured it last, a tab, the case's id. Sorted. Nothing in
/// doubt is an empty text.
std::string doubts_text(const Doubts& doubts, const Run& candidate);

/// What a comparison is judged by besides the pairs.
struct DoubtedComparison {
  Comparison& comparison;
  const Doubts& doubts;
  const Run &baseline, &candidate;
  const CompareOptions& options;
};

/// Decides the cases in doubt by the pairs in `folders`, all as one family of tests. A note counts
/// those without pairs. Throws Error for folders without finished pairs, of another device class,
/// and for a case that two of them have.
void confirm_by_folders(const std::vector<std::string>& folders, const Thresholds& thresholds,
                        const DoubtedComparison& judged, Talk& talk);

}  // namespace plumbline
