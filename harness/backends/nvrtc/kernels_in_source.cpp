#include "backends/nvrtc/kernels_in_source.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace plumbline::nvrtc {
namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_word(std::string_view token) { return !token.empty() && is_word_part(token[0]); }

/// `__launch_bounds__(256)` and the like may stand between __global__ and the name.
bool is_attribute(std::string_view word) {
  return word == "alignas" || (word.starts_with("__") && word.ends_with("__"));
}

/// End of a comment, a string or a preprocessor line that begins at `at`; `at` itself if code is
/// there.
std::size_t end_of_other(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto behind = [&](std::string_view end) {
    const auto found = text.find(end, at + 2);
    return found == text.npos ? text.size() : found + end.size();
  };
  if (rest.starts_with("//")) return behind("\n");
  if (rest.starts_with("/*")) return behind("*/");
  const char c = text[at];
  if (c != '"' && c != '\'' && c != '#') return at;
  const char end = c == '#' ? '\n' : c;
  for (++at; at < text.size() && text[at] != end; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// Words, `::` and single characters of the code, without comments, strings and preprocessor lines.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_other(text, at);
    if (end == at) {
      while (end < text.size() && is_word_part(text[end])) ++end;
      if (end == at) end += text.substr(at).starts_with("::") ? 2 : 1;
      if (!std::isspace(static_cast<unsigned char>(text[at])))
        tokens.push_back(text.substr(at, end - at));
    }
    at = end;
  }
  return tokens;
}

class Search {
 public:
  explicit Search(std::string_view text) : tokens_(tokens_of(text)) {}

  std::vector<std::string> kernels() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_] == "namespace") take_namespace();
      if (at_ < tokens_.size() && tokens_[at_] == "{") scopes_.push_back(std::exchange(next_, ""));
      if (at_ < tokens_.size() && tokens_[at_] == "}" && !scopes_.empty()) scopes_.pop_back();
      if (at_ < tokens_.size() && tokens_[at_] == "__global__") add(name_behind(at_));
    }
    return std::move(found_);
  }

 private:
  /// Reads up to the brace of `namespace ours::inner {`; an alias has no brace.
  void take_namespace() {
    std::string name;
    for (++at_; at_ < tokens_.size() && (is_word(tokens_[at_]) || tokens_[at_] == "::"); ++at_)
      if (tokens_[at_] != "inline") name += tokens_[at_];
    if (at_ < tokens_.size() && tokens_[at_] == "{" && !name.empty()) next_ = name + "::";
  }

  /// Name of the declared function: the word before its parameters. "" if there is none, as before
  /// the template arguments of an instantiation.
  std::string_view name_behind(std::size_t at) const {
    for (++at; at < tokens_.size() && tokens_[at] != ";" && tokens_[at] != "{"; ++at) {
      if (tokens_[at] != "(") continue;
      const std::string_view before = tokens_[at - 1];
      if (!is_attribute(before)) return is_word(before) ? before : std::string_view();
      int depth = 1;
      while (depth > 0 && ++at < tokens_.size())
        depth += tokens_[at] == "(" ? 1 : tokens_[at] == ")" ? -1 : 0;
    }
    return {};
  }

  void add(std::string_view name) {
    if (name.empty()) return;
    std::string full;
    for (const std::string& scope : scopes_) full += scope;
    full += name;
    if (std::ranges::find(found_, full) == found_.end()) found_.push_back(full);
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  std::string next_;                 // of the brace that opens next
  std::vector<std::string> scopes_;  // "ours::" for a namespace's brace, "" for any other
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> kernels_in_source(std::string_view text) { return Search(text).kernels(); }

}  // namespace plumbline::nvrtc
