#include "reports/columns.h"

#include "reports/markup.h"

namespace plumbline {

std::size_t TextList::number_of(std::string_view text) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(text), texts_.size());
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

std::string TextList::json() const {
  std::string out = "[";
  for (const std::string& text : texts_) {
    if (out.size() > 1) out += ',';
    append_json(out, text);
  }
  return out + "]";
}

Column::Column(std::string_view name) {
  append_json(json_, name);
  json_ += ":[";
}

void Column::separate() {
  if (!is_empty_) json_ += ',';
  is_empty_ = false;
}

void Column::add(std::string_view text) {
  separate();
  append_json(json_, text);
}

void Column::add(std::size_t number) {
  separate();
  json_ += std::to_string(number);
}

}  // namespace plumbline
