/// The strip of a case's samples as an inline picture: both sides in time order on one scale.
///
/// Drawn for cards, where it must be there with scripts off and on paper; the detail view draws
/// its own from all samples.
#pragma once

#include <string>

#include "reports/model.h"

namespace plumbline {

struct Strip {
  std::string title;        // what the picture shows, as a sentence
  std::string svg;          // "" where there is nothing to draw
  std::string caption;      // what its marks are, and what was left out or clipped
  std::string key = {};     // HTML: what marks stand for where one line does not tell it, or ""
  std::string top, bottom;  // the scale's ends, as texts with unit
};

Strip strip_of(const ReportModel& model, const CaseView& view);

}  // namespace plumbline
