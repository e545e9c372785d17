/// Copies of runs and comparisons that can be given to strangers: `redact`, and `report --redact`.
///
/// What is hidden is store/redacted/'s. A copy is a run like any other: it is compared and shown.
#pragma once

#include <string>
#include <vector>

#include "store/redacted/redactor.h"
#include "workflow/talk.h"

namespace plumbline {

struct RedactRequest {
  std::vector<std::string> inputs;  // run directories, folders of `ab`, comparisons
  std::string output;               // a new or empty folder
};

struct RedactedCopy {
  std::vector<std::string> outputs;  // of each input: the run's directory, or the comparison
  RedactionSummary summary;
};

/// Throws Error for inputs that cannot be read, and where the output holds something. Runs that a
/// comparison names are copied beside it; a note says where they are gone.
RedactedCopy redact(const RedactRequest& request, Talk& talk);

/// The page of the redacted inputs (page.h).
void write_redacted_page(const std::vector<std::string>& inputs, const std::string& output,
                         const std::string& title, Talk& talk);

}  // namespace plumbline
