/// Texts that repeat in the data for the page's scripts: stored once and referenced by number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumbline {

/// Each text once, numbered from 0 in order of appearance.
class TextList {
 public:
  std::size_t number_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace plumbline
