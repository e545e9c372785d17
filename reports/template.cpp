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

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kTags =
    "{{name}}, {{{name}}}, {{#name}}, {{^name}}, {{/name}}, {{.}}, {{> folder/name}}";

[[noreturn]] void fail(std::string_view file, std::size_t line, const std::string& what) {
  throw Error(fmt::format("reports/{}.html:{}: {}", file, line, what));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string in_braces(std::string_view text) { return "{{" + std::string(text) + "}}"; }

/// Splits a file into pieces, line by line.
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
      if (is_shown) add({'t', "\n", line_});
      rest.remove_prefix(end + 1);
    }
    if (open_.size() > 1)
      fail(file_.name, open_.back().line,
           "the section " + in_braces(open_.back().text) + " is not closed");
    return std::move(open_.front().inside);
  }

 private:
  /// True if the line belongs to the page: it has more than section tags.
  bool read_line(std::string_view line) {
    bool has_sections = false, has_more = false;
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    while (!line.empty()) {
      const std::size_t open = line.find("{{");
      const std::string_view text = line.substr(0, open);
      if (!text.empty()) add({'t', std::string(text), line_});
      has_more |= !trimmed(text).empty();
      if (open == line.npos) break;
      const std::string_view end = line.substr(open).starts_with("{{{") ? "}}}" : "}}";
      const std::size_t close = line.find(end, open);
      if (close == line.npos) fail(file_.name, line_, "a tag is not closed on its line");
      const bool is_section = read_tag(line.substr(open + 2, close - open - 2));
      (is_section ? has_sections : has_more) = true;
      line.remove_prefix(close + end.size());
    }
    return has_more || !has_sections;
  }

  /// True if the tag opens or closes a section.
  bool read_tag(std::string_view tag) {
    const bool is_value = tag.find_first_of("#^/>{") != 0;
    const char kind = is_value ? ' ' : tag.front();
    const std::string_view name = trimmed(tag.substr(is_value ? 0 : 1));
    const std::string letters = std::string(kNameLetters) + (kind == '>' ? "/" : "");
    if (name.empty() || (name != "." && name.find_first_not_of(letters) != name.npos))
      fail(file_.name, line_, fmt::format("{} is no tag; known are {}", in_braces(tag), kTags));
    Piece piece{kind, std::string(name), line_};
    const bool is_open = open_.size() > 1 && open_.back().text == name;
    if (kind == '/' && !is_open)
      fail(file_.name, line_,
           fmt::format("{} closes no section; open is {}", in_braces(tag),
                       open_.size() > 1 ? in_braces(open_.back().text) : "none"));
    if (kind == '/') {
      piece = std::move(open_.back());
      open_.pop_back();
    }
    const bool opens = kind == '#' || kind == '^';
    opens ? open_.push_back(std::move(piece)) : add(std::move(piece));
    return opens || kind == '/';
  }

  void add(Piece piece) {
    Pieces& pieces = open_.back().inside;
    if (piece.kind == 't' && !pieces.empty() && pieces.back().kind == 't')
      pieces.back().text += piece.text;
    else
      pieces.push_back(std::move(piece));
  }

  const TemplateFile& file_;
  std::size_t line_ = 1;
  Pieces open_{Piece{}};  // the file, and its open sections
};

/// The data of a section, inside the data of the sections around it.
struct Scope {
  const PageData& data;
  const Scope* outer = nullptr;
};

const PageData& found(const std::string& file, const Piece& piece, const Scope& scope) {
  if (piece.text == ".") return scope.data;
  for (const Scope* at = &scope; at != nullptr; at = at->outer)
    if (at->data.is_object())
      if (const auto member = at->data.find(piece.text); member != at->data.end()) return *member;
  fail(file, piece.line, "the data have no " + in_braces(piece.text));
}

[[noreturn]] void refuse(const std::string& file, const Piece& piece, const PageData& value,
                         const char* wanted) {
  fail(file, piece.line,
       fmt::format("{} is of the kind {}; wanted is {}", in_braces(piece.text), value.type_name(),
                   wanted));
}

void show_value(const std::string& file, const Piece& piece, const PageData& value,
                std::string& page) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text != nullptr)
    page += piece.kind == '{' ? *text : escaped(*text);
  else if (value.is_number_integer() && piece.kind != '{')
    page += value.dump();
  else
    refuse(file, piece, value, "a text, or a whole number");
}

}  // namespace

/// A template while it is rendered with its data.
struct Templates::Shown {
  const Templates& all;
  std::string& page;

  void show(const std::string& file, const Pieces& pieces, const Scope& scope) const {
    for (const Piece& piece : pieces) {
      if (piece.kind == 't')
        page += piece.text;
      else if (piece.kind == '>')
        show(piece.text, all.templates_.find(piece.text)->second, scope);
      else if (piece.kind == '#' || piece.kind == '^')
        show_section(file, piece, found(file, piece, scope), scope);
      else
        show_value(file, piece, found(file, piece, scope), page);
    }
  }

  void show_section(const std::string& file, const Piece& piece, const PageData& value,
                    const Scope& scope) const {
    if (value.is_number())
      refuse(file, piece, value, "a list, an object, a boolean, a text or null");
    const auto* text = value.get_ptr<const std::string*>();
    const bool is_empty = text                 ? text->empty()
                          : value.is_boolean() ? !value.get<bool>()
                                               : value.empty();
    if (piece.kind == '^') {
      if (is_empty) show(file, piece.inside, scope);
    } else if (value.is_array()) {
      for (const PageData& item : value) show(file, piece.inside, {item, &scope});
    } else if (!is_empty) {
      show(file, piece.inside, value.is_boolean() ? scope : Scope{value, &scope});
    }
  }
};

Templates::Templates(std::span<const TemplateFile> files) {
  for (const TemplateFile& file : files) templates_.emplace(file.name, Reader(file).read());
  for (const auto& [name, pieces] : templates_) check_partials(name, pieces);
}

void Templates::check_partials(const std::string& name, const Pieces& pieces) const {
  for (const Piece& piece : pieces) {
    if (piece.kind == '>' && !templates_.contains(piece.text))
      fail(name, piece.line, fmt::format("there is no template reports/{}.html", piece.text));
    check_partials(name, piece.inside);
  }
}

std::string Templates::render(std::string_view name, const PageData& data) const {
  const auto found = templates_.find(name);
  if (found == templates_.end())
    throw Error(fmt::format("there is no template reports/{}.html", name));
  std::string page;
  Shown{*this, page}.show(found->first, found->second, {data});
  return page;
}

std::string rendered(std::string_view name, const PageData& data) {
  static const Templates kShipped(template_files());
  return kShipped.render(name, data);
}

}  // namespace plumbline
