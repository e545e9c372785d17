/// An inline picture of a case's samples: both sides in time order on one scale.
///
/// For cards, where it must be there without scripts and in print. The detail view draws its own
/// picture from all samples.
#pragma once

#include <string>
#include <string_view>

#include "reports/axis.h"
#include "reports/model.h"
#include "reports/template.h"

namespace plumbline {

inline constexpr double kStripWidth = 1000, kStripHeight = 100;  // the view box

/// One path of a picture, with a CSS class of page.css.
PageData path_data(std::string_view kind, std::string_view d);

/// Data of parts/figure.html. `title`: what the picture shows, as a sentence. `caption`: the
/// meaning of its marks, and what was left out or clipped. `unit`: of the axis.
PageData figure_data(std::string_view kind, const std::string& title, const std::string& caption,
                     const Axis& axis, std::string_view unit, PageData paths);

/// The picture of a case's samples; null if there are none.
PageData strip_of(const ReportModel& model, const CaseView& view);

}  // namespace plumbline
