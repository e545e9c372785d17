#include "reports/template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "core/error.h"
#include "reports/assets.h"
#include "reports/section.h"

namespace plumbline {
namespace {

std::string shown(std::string_view text, const PageData& data) {
  const TemplateFile files[] = {{"a/page", text}, {"a/part", "<i>{{name}}</i>\n"}};
  return Templates(files).render("a/page", data);
}

/// The message for a mistake.
std::string mistake(std::string_view text, const PageData& data = PageData::object()) {
  try {
    return "shown: " + shown(text, data);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Template, ShowsTextsEscapedMarkupAsItIsAndWholeNumbers) {
  EXPECT_EQ(shown("{{a}} {{{a}}} {{ n }}", {{"a", "<b>'&\u202E"}, {"n", 12}}),
            "&lt;b&gt;&#39;&amp;⟨U+202E⟩ <b>'&\u202E 12");
}

TEST(Template, SectionsAreOfListsObjectsTextsAndBooleans) {
  EXPECT_EQ(shown("{{#list}}[{{.}}]{{/list}}{{^list}}none{{/list}}", {{"list", {"a", "b", "c"}}}),
            "[a][b][c]");
  EXPECT_EQ(shown("{{#list}}[{{.}}]{{/list}}{{^list}}none{{/list}}", {{"list", PageData::array()}}),
            "none");
  EXPECT_EQ(shown("{{#o}}{{n}}{{m}}{{/o}}", {{"m", 1}, {"o", {{"n", 2}}}}), "21")
      << "names are looked up from the innermost object outwards";
  EXPECT_EQ(shown("{{#t}}({{.}}){{/t}}{{^t}}-{{/t}}", {{"t", "x"}}), "(x)");
  EXPECT_EQ(shown("{{#t}}({{.}}){{/t}}{{^t}}-{{/t}}", {{"t", ""}}), "-");
  EXPECT_EQ(shown("{{#t}}{{n}}{{/t}}", {{"t", true}, {"n", 3}}), "3");
  EXPECT_EQ(shown("{{#t}}x{{/t}}{{#u}}y{{/u}}", {{"t", false}, {"u", nullptr}}), "");
}

TEST(Template, APartialIsShownInItsPlaceWithItsData) {
  EXPECT_EQ(shown("{{#l}}{{> a/part}};{{/l}}", {{"l", {{{"name", "x"}}, {{"name", "y"}}}}}),
            "<i>x</i>;<i>y</i>;");
}

TEST(Template, LinesOfSectionTagsAndIndentationAreNoPartOfThePage) {
  EXPECT_EQ(shown("<ul>\n  {{#l}}\n    <li>{{.}}</li>\n  {{/l}}\n\n</ul>\n", {{"l", {"a", "b"}}}),
            "<ul>\n<li>a</li>\n<li>b</li>\n\n</ul>");
}

TEST(Template, AMistakeIsAnErrorThatNamesTemplateAndLine) {
  EXPECT_EQ(mistake("a\n{{b}}"), "reports/a/page.html:2: the data have no {{b}}");
  EXPECT_EQ(mistake("{{#b}}x{{/b}}"), "reports/a/page.html:1: the data have no {{b}}");
  EXPECT_EQ(mistake("\n\n{{> a/part}}"), "reports/a/part.html:1: the data have no {{name}}")
      << "the partial's own line";
  EXPECT_EQ(mistake("a\n\n{{#b}}\nx"), "reports/a/page.html:3: the section {{b}} is not closed");
  EXPECT_EQ(mistake("{{#b}}\n{{/c}}"),
            "reports/a/page.html:2: {{/c}} closes no section; open is {{b}}");
  EXPECT_EQ(mistake("{{/c}}"), "reports/a/page.html:1: {{/c}} closes no section; open is none");
  EXPECT_EQ(mistake("x {{a"), "reports/a/page.html:1: a tag is not closed on its line");
  EXPECT_EQ(mistake("{{> a/other}}"),
            "reports/a/page.html:1: there is no template reports/a/other.html");
  for (const char* tag : {"{{&b}}", "{{!b}}", "{{=<% %>=}}", "{{a.b}}", "{{}}", "{{#}}", "{{B}}"})
    EXPECT_TRUE(
        mistake(std::string("x\n") + tag)
            .starts_with("reports/a/page.html:2: " + std::string(tag) + " is no tag; known are"))
        << mistake(tag);
}

TEST(Template, AValueOfAnotherKindIsAnError) {
  const PageData data{{"list", {1, 2, 3}}, {"no", nullptr}, {"half", 0.5}, {"yes", true}, {"n", 1}};
  for (const char* text : {"{{list}}", "{{no}}", "{{half}}", "{{yes}}", "{{{n}}}", "{{#n}}{{/n}}"})
    EXPECT_NE(mistake(text, data).find("reports/a/page.html:1: {{"), std::string::npos)
        << text << ": " << mistake(text, data);
  EXPECT_EQ(
      mistake("{{list}}", data),
      "reports/a/page.html:1: {{list}} is of the kind array; wanted is a text, or a whole number");
}

/// Templates named in C++ are shown by whole_page_test.cpp, devices_test.cpp and fleet_test.cpp.
TEST(Template, EveryShippedOneIsPartOfAPage) {
  std::set<std::string> left;
  for (const TemplateFile& file : template_files()) left.emplace(file.name);
  ASSERT_GT(left.size(), 20U);
  for (const Section& section : make_sections())
    EXPECT_EQ(left.erase(fmt::format("sections/{}/section", section.name)), 1U) << section.name;
  for (const char* name : {"page", "devices/page", "fleet/page", "site/index", "site/cases",
                           "site/case", "site/commit_links", "site/atom_feed"})
    EXPECT_EQ(left.erase(name), 1U) << name;
  const std::regex partial("\\{\\{> ([a-z_/]+)\\}\\}");
  for (const TemplateFile& file : template_files()) {
    const std::string text(file.text);
    for (std::sregex_iterator at(text.begin(), text.end(), partial), end; at != end; ++at)
      left.erase((*at)[1]);
  }
  EXPECT_TRUE(left.empty()) << *left.begin();
}

}  // namespace
}  // namespace plumbline
