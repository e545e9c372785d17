/// The files of the pages, joined and embedded at build time (embed.cmake).
#pragma once

#include <span>
#include <string_view>

#include "reports/template.h"

namespace plumbline {

struct Assets {
  std::string_view css, js;
  std::string_view js_hash;  // `sha256-…` of js, for a page's security policy
};

const Assets& report_assets();   // uPlot, Tabulator, page.css, js/, and those of the sections
const Assets& site_assets();     // page.css, some of js/, and those of site/
const Assets& devices_assets();  // page.css, some of js/, and those of devices/
const Assets& fleet_assets();    // page.css, some of js/, and those of fleet/

/// Every .html file of reports/.
std::span<const TemplateFile> template_files();

/// glossary.txt (glossary.h).
std::string_view glossary_text();

}  // namespace plumbline
