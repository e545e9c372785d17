/// JSON for the page's scripts, compact: repeated texts are numbers into one list of texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plumbline {

/// Texts that repeat, each once, numbered from 0 in order of appearance.
class TextList {
 public:
  std::size_t number_of(std::string_view text);
  std::string json() const;

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

/// One column of a table: `"name":[…]`.
class Column {
 public:
  explicit Column(std::string_view name);
  void add(std::string_view text);
  void add(std::size_t number);
  std::string json() const { return json_ + "]"; }

 private:
  void separate();
  std::string json_;
  bool is_empty_ = true;
};

}  // namespace plumbline
