#include "reports/site/frame.h"

#include <utility>

#include "core/run/case.h"
#include "reports/assets.h"
#include "reports/cells.h"
#include "reports/glossary.h"
#include "reports/site/site.h"

namespace plumbline {

SiteAsset site_style() {
  static const std::string kName =
      "assets/" + stable_hash_text(std::string(site_assets().css)) + ".css";
  return {kName, site_assets().css};
}

SiteAsset site_script() {
  static const std::string kName =
      "assets/" + stable_hash_text(std::string(site_assets().js)) + ".js";
  return {kName, site_assets().js};
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

std::string framed(const SiteFrame& frame, std::string_view name, const PageData& content,
                   PageData data) {
  const std::string up(frame.up);
  std::string body = rendered(name, content);
  PageData meanings = meanings_data(body);
  return rendered("page", {{"title", frame.title},
                           {"inside", nullptr},
                           {"beside",
                            {{"style", up + site_style().name},
                             {"script", up + site_script().name},
                             {"feeds", up + "feed"},
                             {"runs", frame.has_runs ? up + "runs.js" : ""}}},
                           {"has_meanings", !meanings.empty()},
                           {"meanings", std::move(meanings)},
                           {"body", std::move(body)},
                           {"data", std::move(data)}});
}

PageData verdict_data(std::string_view word) {
  if (word.empty()) return nullptr;
  if (const auto verdict = verdict_named(word))
    return {{"label", label_data(label_of(*verdict))}, {"text", ""}};
  if (const auto status = status_named(word))
    return {{"label", label_data(label_of(*status))}, {"text", ""}};
  return {{"label", nullptr}, {"text", word}};
}

}  // namespace plumbline
