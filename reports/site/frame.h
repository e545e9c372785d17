/// The frame that all pages of a site share: head, security policy, title, links between them.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

struct SiteFrame {
  std::string title;      // of the window; not escaped
  std::string_view up;    // from the page to the site's folder: "" or "../"
  bool has_runs = false;  // loads runs.js
};

/// `body`: HTML inside of <main>.
std::string framed(const SiteFrame& frame, const std::string& body);

/// `▲ slower`, for a word of kVerdictNames or a status; "" for "".
std::string verdict_html(std::string_view word);

}  // namespace plumbline
