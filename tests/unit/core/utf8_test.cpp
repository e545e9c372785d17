#include "core/utf8.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Excerpt, OfAShortTextIsTheText) {
  EXPECT_EQ(excerpt("", 0), "");
  EXPECT_EQ(excerpt(std::string(200, 'a'), 7), std::string(200, 'a'));
}

TEST(Excerpt, OfALongTextIsWhatIsAroundThePlace) {
  const std::string text = std::string(1000, 'a') + "HERE" + std::string(1000, 'b');
  EXPECT_EQ(excerpt(text, 1000), "…" + std::string(100, 'a') + "HERE" + std::string(96, 'b') + "…");
  EXPECT_EQ(excerpt(text, 0), std::string(200, 'a') + "…");
  EXPECT_EQ(excerpt(text, text.size()), "…" + std::string(200, 'b'));
}

TEST(Excerpt, CutsNoCharacter) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "ü";
  for (std::size_t at = 300; at < 304; ++at) {
    const std::string found = excerpt("a" + text, at);
    for (std::size_t i = 0; i < found.size();) {
      ASSERT_NE(utf8_length(found.substr(i)), 0U) << at;
      i += utf8_length(found.substr(i));
    }
  }
}

}  // namespace
}  // namespace plumbline
