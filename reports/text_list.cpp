#include "reports/text_list.h"

namespace plumbline {

std::size_t TextList::number_of(std::string_view text) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(text), texts_.size());
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

}  // namespace plumbline
