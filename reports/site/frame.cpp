#include "reports/site/frame.h"

#include "core/case.h"
#include "reports/assets.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/site/site.h"

namespace plumbline {

SiteAsset site_style() {
  static const std::string kName = "assets/" + stable_hash_text(std::string(site_css())) + ".css";
  return {kName, site_css()};
}

SiteAsset site_script() {
  static const std::string kName = "assets/" + stable_hash_text(std::string(site_js())) + ".js";
  return {kName, site_js()};
}

std::string case_page_name(std::string_view suite, std::string_view case_id) {
  std::string whole(suite);
  whole += '\n';
  whole += case_id;
  return "cases/" + stable_hash_text(whole) + ".html";
}

std::string commit_page_name(std::string_view key) {
  return "commits/" + std::string(key) + ".html";
}

// 'self' is no origin where pages come from disk; there `file:` is what allows the site's scripts.
std::string framed(const SiteFrame& frame, const std::string& body) {
  const std::string up(frame.up);
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'self' file:; style-src 'self' file: 'unsafe-inline'; img-src data:; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n";
  page += "<title>" + escaped(frame.title) + "</title>\n<link rel=\"stylesheet\" href=\"" + up +
          site_style().name + "\">\n</head>\n<body>\n<main>\n" + body + "</main>\n";
  if (frame.has_runs) page += "<script src=\"" + up + "runs.js\"></script>\n";
  return page + "<script src=\"" + up + site_script().name + "\"></script>\n</body>\n</html>\n";
}

std::string verdict_html(std::string_view word) {
  if (word.empty()) return "";
  if (const auto verdict = verdict_named(word)) return label_html(label_of(*verdict));
  if (const auto status = status_named(word)) return label_html(label_of(*status));
  return escaped(word);
}

}  // namespace plumbline
