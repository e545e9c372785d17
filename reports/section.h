/// A section of the page: a folder of reports/sections/ with a section.cpp that makes data, a
/// section.html that shows them (template.h), and optionally a .js and a .css. The build finds the
/// folders and generates make_sections().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"
#include "reports/template.h"

namespace plumbline {

struct Section {
  std::string_view name;  // name of its folder
  int place = 0;          // position on the page, from the top

  /// The data of its template, complete without scripts; null: the section is left out.
  PageData (*content)(const ReportModel& model) = nullptr;

  /// Null, or the JSON that its script reads from the element `data-<name>`. `room_bytes` is what
  /// remains of the size limit: a section that can shorten its data does so.
  std::string (*data)(const ReportModel& model, std::size_t room_bytes) = nullptr;
};

/// All sections, by position. Generated.
std::vector<Section> make_sections();

}  // namespace plumbline
