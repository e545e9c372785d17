#include "reports/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "reports/assets.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

using Piece = Templates::Piece;
using Pieces = std::vector<Piece>;
using Kind = Piece::Kind;

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";

[[noreturn]] void fail(std::string_view file, std::size_t line, const std::string& what) {
  throw Error(fmt::format("reports/{}.html:{}: {}", file, line, what));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// One file as pieces, line by line.
class Reader {
 public:
  explicit Reader(const TemplateFile& file) : file_(file) {}

  Pieces read() {
    std::string_view rest = file_.text;
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    for (;; ++line_) {
      const std::size_t end = rest.find('\n');
      const bool is_shown = read_line(rest.substr(0, end));
      if (end == rest.npos) break;
      if (is_shown) add({Kind::text, "\n", line_});
      rest.remove_prefix(end + 1);
    }
    if (open_.size() > 1)
      fail(file_.name, open_.back().line,
           fmt::format("the section {{{{{}}}}} is not closed", open_.back().text));
    return std::move(open_.front().inside);
  }

 private:
  /// Whether it is a line of the page: more than section tags.
  bool read_line(std::string_view line) {
    bool has_sections = false, has_more = false;
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    while (!line.empty()) {
      const std::size_t open = line.find("{{");
      const std::string_view text = line.substr(0, open);
      if (!text.empty()) add({Kind::text, std::string(text), line_});
      has_more |= !trimmed(text).empty();
      if (open == line.npos) break;
      const bool is_raw = line.substr(open).starts_with("{{{");
      const std::string_view end = is_raw ? "}}}" : "}}";
      const std::size_t first = open + end.size(), close = line.find(end, first);
      if (close == line.npos) fail(file_.name, line_, "a tag is not closed on its line");
      const bool is_section = read_tag(line.substr(first, close - first), is_raw);
      (is_section ? has_sections : has_more) = true;
      line.remove_prefix(close + end.size());
    }
    return has_more || !has_sections;
  }

  /// Whether it opens or closes a section.
  bool read_tag(std::string_view tag, bool is_raw) {
    const char sigil = tag.empty() || is_raw ? ' ' : tag.front();
    const bool has_sigil = std::string_view("#^/>").find(sigil) != std::string_view::npos;
    const std::string name(trimmed(tag.substr(has_sigil ? 1 : 0)));
    const std::string letters = std::string(kLetters) + (sigil == '>' ? "/" : "");
    if (name.empty() || (name != "." && name.find_first_not_of(letters) != name.npos))
      fail(file_.name, line_,
           fmt::format("{{{{{}}}}} is no tag; known are {{{{name}}}}, {{{{{{name}}}}}}, "
                       "{{{{#name}}}}, {{{{^name}}}}, {{{{/name}}}}, {{{{.}}}}, {{{{> file}}}}",
                       tag));
    if (sigil == '#' || sigil == '^') {
      open_.push_back({sigil == '#' ? Kind::section : Kind::inverted, name, line_});
    } else if (sigil == '/') {
      close(name);
    } else {
      add({sigil == '>' ? Kind::partial : is_raw ? Kind::raw : Kind::value, name, line_});
    }
    return has_sigil && sigil != '>';
  }

  void close(const std::string& name) {
    if (open_.size() < 2 || open_.back().text != name)
      fail(file_.name, line_,
           fmt::format("{{{{/{}}}}} closes no section; open is {}", name,
                       open_.size() < 2 ? "none" : "{{" + open_.back().text + "}}"));
    Piece closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed));
  }

  void add(Piece piece) {
    Pieces& pieces = open_.back().inside;
    if (piece.kind == Kind::text && !pieces.empty() && pieces.back().kind == Kind::text)
      pieces.back().text += piece.text;
    else
      pieces.push_back(std::move(piece));
  }

  const TemplateFile& file_;
  std::size_t line_ = 1;
  Pieces open_{Piece{}};  // the file, and the sections that are open
};

/// The data of a section within those around it.
struct Scope {
  const PageData& data;
  const Scope* outer = nullptr;
};

/// A template that is being shown with its data.
class Shown {
 public:
  Shown(const std::map<std::string, Pieces, std::less<>>& all, std::string_view file,
        std::string& page)
      : all_(all), file_(file), page_(page) {}

  void show(const Pieces& pieces, const Scope& scope) {
    for (const Piece& piece : pieces) {
      switch (piece.kind) {
        case Kind::text:
          page_ += piece.text;
          break;
        case Kind::partial:
          Shown(all_, piece.text, page_).show(all_.find(piece.text)->second, scope);
          break;
        case Kind::value:
        case Kind::raw:
          show_value(piece, found(piece, scope));
          break;
        case Kind::section:
        case Kind::inverted:
          show_section(piece, found(piece, scope), scope);
      }
    }
  }

 private:
  const PageData& found(const Piece& piece, const Scope& scope) const {
    if (piece.text == ".") return scope.data;
    for (const Scope* at = &scope; at != nullptr; at = at->outer)
      if (at->data.is_object())
        if (const auto member = at->data.find(piece.text); member != at->data.end()) return *member;
    fail(file_, piece.line, fmt::format("the data have no {{{{{}}}}}", piece.text));
  }

  void show_value(const Piece& piece, const PageData& value) {
    if (value.is_string() && piece.kind == Kind::raw)
      page_ += value.get_ref<const std::string&>();
    else if (value.is_string())
      page_ += escaped(value.get_ref<const std::string&>());
    else if (value.is_number_integer() && piece.kind == Kind::value)
      page_ += value.dump();
    else
      refuse(piece, value, "a text, or a whole number");
  }

  void show_section(const Piece& piece, const PageData& value, const Scope& scope) {
    if (value.is_number()) refuse(piece, value, "a list, an object, a boolean, a text or null");
    const bool is_empty = value.is_string() ? value.get_ref<const std::string&>().empty()
                          : value.is_boolean()
                              ? !value.get<bool>()
                              : value.is_null() || (value.is_array() && value.empty());
    if (piece.kind == Kind::inverted) {
      if (is_empty) show(piece.inside, scope);
    } else if (value.is_array()) {
      for (const PageData& item : value) show(piece.inside, {item, &scope});
    } else if (value.is_boolean()) {
      if (!is_empty) show(piece.inside, scope);
    } else if (!is_empty) {
      show(piece.inside, {value, &scope});
    }
  }

  [[noreturn]] void refuse(const Piece& piece, const PageData& value, const char* wanted) const {
    fail(file_, piece.line,
         fmt::format("{{{{{}}}}} is of the kind {}; wanted is {}", piece.text, value.type_name(),
                     wanted));
  }

  const std::map<std::string, Pieces, std::less<>>& all_;
  std::string_view file_;
  std::string& page_;
};

}  // namespace

Templates::Templates(std::span<const TemplateFile> files) {
  for (const TemplateFile& file : files) templates_.emplace(file.name, Reader(file).read());
  for (const auto& [name, pieces] : templates_) check_partials(name, pieces);
}

void Templates::check_partials(const std::string& name, const Pieces& pieces) const {
  for (const Piece& piece : pieces) {
    if (piece.kind == Kind::partial && !templates_.contains(piece.text))
      fail(name, piece.line, fmt::format("there is no template reports/{}.html", piece.text));
    check_partials(name, piece.inside);
  }
}

std::string Templates::render(std::string_view name, const PageData& data) const {
  const auto found = templates_.find(name);
  if (found == templates_.end())
    throw Error(fmt::format("there is no template reports/{}.html", name));
  std::string page;
  Shown(templates_, found->first, page).show(found->second, {data});
  return page;
}

std::string rendered(std::string_view name, const PageData& data) {
  static const Templates kShipped(template_files());
  return kShipped.render(name, data);
}

}  // namespace plumbline
