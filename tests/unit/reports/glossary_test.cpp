#include "reports/glossary.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/error.h"
#include "core/run/result.h"
#include "reports/assets.h"
#include "reports/model.h"

namespace plumbline {
namespace {

/// Words that C++ passes to templates, which mark them.
std::set<std::string> terms_of_labels() {
  std::set<std::string> terms{"unstable", "renamed", "clean", "cannot_tell", "not_comparable"};
  for (int verdict = 0; verdict <= int(Verdict::expected); ++verdict)
    terms.insert(term_of(label_of(Verdict(verdict)).word));
  for (int status = 0; status <= int(Status::interrupted); ++status)
    terms.insert(term_of(label_of(Status(status)).word));
  for (const EntryKind excuse : {EntryKind::acknowledged, EntryKind::quarantined})
    terms.insert(term_of(label_of(excuse).word));
  return terms;
}

TEST(Glossary, HasATextForEachWordThatTemplatesAndLabelsMark) {
  std::set<std::string> asked = terms_of_labels();
  for (const TemplateFile& file : template_files())
    for (const std::string& term : marked_terms(file.text)) asked.insert(term);
  EXPECT_GT(asked.size(), 40U);
  for (const std::string& term : asked) EXPECT_NE(meaning_of(term), "") << term;
}

TEST(Glossary, TextsAreOneOrTwoSentences) {
  for (const std::string& term : glossary_terms()) {
    const std::string text = meaning_of(term);
    EXPECT_TRUE(text.ends_with('.')) << term;
    EXPECT_LE(text.size(), 200U) << term;
  }
}

TEST(Glossary, AMetricWithoutALineSaysWhatItsTableSays) {
  EXPECT_EQ(meaning_of("speedup"),
            "The same launches one after the other on one stream, in the same blocks / makespan.");
  EXPECT_EQ(meaning_of("nobodys_metric"), "");
}

TEST(Glossary, APageHoldsTheMeaningsOfItsMarksAndAMarkWithoutOneIsAnError) {
  const PageData data = meanings_data(
      "<a aria-describedby=\"term-slower\">x</a>"
      "<button popovertarget=\"term-looks_slower\">y</button>");
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0]["word"], "looks slower");
  EXPECT_EQ(data[1]["term"], "slower");
  EXPECT_THROW(meanings_data("<button popovertarget=\"term-riddle\">"), Error);
  EXPECT_TRUE(meanings_data("<b title=\"term-riddle\">&quot;term-riddle 'term-</b>").empty())
      << "names of others mark nothing";
}

TEST(Glossary, TheFirstOfEachWordOfATextIsMarked) {
  const std::string_view words[] = {"interval", "false alarm", "absent"};
  const PageData parts = said_data("2 false alarms. An interval, another interval", words);
  std::string marked;
  for (const PageData& part : parts)
    marked += part["term"] == ""
                  ? std::string(part["text"])
                  : "[" + std::string(part["term"]) + ":" + std::string(part["text"]) + "]";
  EXPECT_EQ(marked, "2 [false_alarm:false alarms]. An [interval:interval], another interval");
}

}  // namespace
}  // namespace plumbline
