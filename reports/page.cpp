#include "reports/page.h"

#include <utility>

namespace plumbline {

std::string self_contained_page(const std::string& title, const Assets& assets, std::string body,
                                PageData data) {
  return rendered("page",
                  {{"title", title},
                   {"inside", {{"hash", assets.js_hash}, {"css", assets.css}, {"js", assets.js}}},
                   {"beside", nullptr},
                   {"body", std::move(body)},
                   {"data", std::move(data)}});
}

}  // namespace plumbline
