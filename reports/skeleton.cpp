#include "reports/skeleton.h"

namespace plumbline {

std::string fill(std::string_view skeleton, const std::map<std::string_view, std::string>& places) {
  std::string page;
  std::size_t size = skeleton.size();
  for (const auto& [name, text] : places) size += text.size();
  page.reserve(size);
  while (true) {
    const std::size_t open = skeleton.find("{{");
    if (open == std::string_view::npos) return page += skeleton;
    const std::size_t close = skeleton.find("}}", open);
    page += skeleton.substr(0, open);
    page += places.at(skeleton.substr(open + 2, close - open - 2));
    skeleton.remove_prefix(close + 2);
  }
}

}  // namespace plumbline
