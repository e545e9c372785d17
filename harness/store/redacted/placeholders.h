/// The values that a redacted copy hides, and what stands in their place.
///
/// The same value has the same placeholder in all that is redacted together, so that devices, hosts
/// and files still match. Placeholders of two copies differ: gpu-1 of one is not gpu-1 of the
/// other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/redacted/redaction.h"

namespace plumbline {

class Placeholders {
 public:
  /// `tag` ends every placeholder: "3fa2c1".
  explicit Placeholders(std::string tag) : tag_(std::move(tag)) {}

  const std::string& tag() const { return tag_; }

  /// "host-1-3fa2c1"; of devices each of those between commas. "" stays.
  std::string of(Redaction redaction, const std::string& value);

  /// A text that is kept, without what it says by the way: values that were hidden elsewhere,
  /// paths, addresses of mail, UUIDs and PCI addresses.
  std::string scrubbed(const std::string& text);

 private:
  std::string one(const std::string& word, const std::string& value);
  void learn(const std::string& value, const std::string& placeholder);

  std::string tag_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  // by word and value
  std::map<std::string, std::size_t> counts_;                         // by word
  std::vector<std::pair<std::string, std::string>> secrets_;          // value, placeholder
};

}  // namespace plumbline
