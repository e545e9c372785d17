/// Pages from templates and data: a strict subset of Mustache.
///
///   {{name}}                a text, with markup escaped (markup.h), or a whole number
///   {{{name}}}              markup and scripts that are not names of anybody: as they are
///   {{#name}}…{{/name}}     for each item of a list; once for an object, for true, for a text
///   {{^name}}…{{/name}}     where that would show nothing: of null, false, and what is empty
///   {{.}}                   the item, or the text of the section
///   {{> folder/name}}       another template, by its path from reports/ without `.html`
///
/// A name is looked up in the innermost object, then in those around it. A tag stands on one line.
/// A line with nothing but section tags is no line of the page; indentation and the last line feed
/// of a file are left out.
///
/// Mistakes are errors that name template and line: a tag that is not known or not closed, a
/// template that is not there, a name that the data lacks, a value of another kind. Debian's
/// libkainjow-mustache (4.1) shows nothing for a name that the data lacks and reads a partial anew
/// wherever it is shown; therefore this.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// What a template shows: texts as they are to be read, whole numbers, booleans, lists, objects.
using PageData = nlohmann::ordered_json;

struct TemplateFile {
  std::string_view name, text;
};

class Templates {
 public:
  /// Throws Error for a mistake in a template.
  explicit Templates(std::span<const TemplateFile> files);

  /// Throws Error where there is no such template, or the data are not what it asks for.
  std::string render(std::string_view name, const PageData& data) const;

  struct Piece {
    char kind = 't';   // a text, or of a tag its first character: # ^ > {, a blank for {{name}}
    std::string text;  // or the tag's name
    std::size_t line = 1;
    std::vector<Piece> inside{};
  };

 private:
  struct Shown;
  void check_partials(const std::string& name, const std::vector<Piece>& pieces) const;

  std::map<std::string, std::vector<Piece>, std::less<>> templates_;
};

/// With a template of reports/.
std::string rendered(std::string_view name, const PageData& data);

}  // namespace plumbline
