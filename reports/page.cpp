#include "reports/page.h"

#include <utility>

#include "reports/glossary.h"

namespace plumbline {

std::string self_contained_page(const std::string& title, const Assets& assets, std::string body,
                                PageData data, std::span<const std::string> terms) {
  PageData meanings = meanings_data(body, terms);
  return rendered("page",
                  {{"title", title},
                   {"inside", {{"hash", assets.js_hash}, {"css", assets.css}, {"js", assets.js}}},
                   {"beside", nullptr},
                   {"has_meanings", !meanings.empty()},
                   {"meanings", std::move(meanings)},
                   {"body", std::move(body)},
                   {"data", std::move(data)}});
}

}  // namespace plumbline
