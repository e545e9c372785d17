/// The page's own files and the vendored scripts, joined and embedded when this is built.
#pragma once

#include <string_view>

namespace plumbline {

std::string_view page_html();     // skeleton; its {{places}} are filled by report.cpp
std::string_view page_css();      // uPlot, Tabulator, page.css, sections' css
std::string_view page_js();       // uPlot, Tabulator, js/*.js, sections' js, in that order
std::string_view page_js_hash();  // `sha256-…` of page_js(), for the page's security policy
std::string_view site_css();      // page.css, site/site.css
std::string_view site_js();       // js/page.js, site/*.js

// The page of devices (devices/page.h), on the same skeleton.
std::string_view devices_css();
std::string_view devices_js();
std::string_view devices_js_hash();

}  // namespace plumbline
