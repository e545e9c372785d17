/// Pages from templates and data: a strict subset of Mustache.
///
///   {{name}}                a text, with markup escaped (markup.h), or a whole number
///   {{{name}}}              trusted markup and scripts, unchanged
///   {{#name}}…{{/name}}     for each item of a list; once for an object, for true, for a text
///   {{^name}}…{{/name}}     where that would show nothing: of null, false, and what is empty
///   {{.}}                   the item, or the text of the section
///   {{> folder/name}}       another template, by its path from reports/ without `.html`
///
/// A name is looked up in the innermost object, then in those around it. A tag must be on one line.
/// A line with only section tags produces no output; indentation and the last line feed of a file
/// are removed.
///
/// Mistakes are errors that name template and line: an unknown or open tag, a missing template, a
/// name that the data lacks, a value of the wrong kind. Debian's libkainjow-mustache (4.1) shows
/// nothing for a name that the data lacks, and parses a partial again each time. Hence this code.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The data of a template: plain texts, integers, booleans, lists, objects.
using PageData = nlohmann::ordered_json;

struct TemplateFile {
  std::string_view name, text;
};

class Templates {
 public:
  /// Throws Error for a mistake in a template.
  explicit Templates(std::span<const TemplateFile> files);

  /// Throws Error if the template does not exist or the data do not match it.
  std::string render(std::string_view name, const PageData& data) const;

  struct Piece {
    char kind = 't';   // a text, or the first character of a tag: # ^ > {, a blank for {{name}}
    std::string text;  // the text, or the tag's name
    std::size_t line = 1;
    std::vector<Piece> inside{};
  };

 private:
  struct Shown;
  void check_partials(const std::string& name, const std::vector<Piece>& pieces) const;

  std::map<std::string, std::vector<Piece>, std::less<>> templates_;
};

/// Renders a template of reports/.
std::string rendered(std::string_view name, const PageData& data);

}  // namespace plumbline
