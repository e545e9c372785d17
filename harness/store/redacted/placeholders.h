/// The values that a redacted copy hides, and what stands in their place.
///
/// The same value has the same placeholder in all that is redacted together, so that devices, hosts
/// and files still match. Placeholders of two copies differ: gpu-1 of one is not gpu-1 of the
/// other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "store/redacted/redaction.h"

namespace plumbline {

class Placeholders {
 public:
  /// `tag` ends every placeholder: "3fa2c1".
  explicit Placeholders(std::string tag) : tag_(std::move(tag)) {}

  const std::string& tag() const { return tag_; }

  /// "host-1-3fa2c1"; of devices each of those between commas. "" stays.
  std::string of(Redaction redaction, const std::string& value);

  /// A text that is kept, without what it says by the way: values that were hidden elsewhere in
  /// any case of letters, paths, addresses of mail and machines, UUIDs and PCI addresses. A path
  /// takes the rest of the text with it, up to a quotation mark: it may hold blanks.
  std::string scrubbed(const std::string& text);

 private:
  std::string one(const std::string& word, const std::string& value);
  void learn(const std::string& value, const std::string& placeholder);
  void learn_parts(Redaction redaction, const std::string& value, const std::string& placeholder);
  std::pair<std::size_t, std::string> secret_at(const std::string& low, std::size_t at) const;

  struct LongestFirst {  // a path before the name of the user in it
    bool operator()(const std::string& a, const std::string& b) const;
  };

  std::string tag_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  // by word and value
  std::map<std::string, std::size_t> counts_;                         // by word
  std::map<std::string, std::string, LongestFirst> secrets_;  // value in small letters, placeholder
};

}  // namespace plumbline
