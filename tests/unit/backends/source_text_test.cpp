#include "backends/nvrtc/source_text.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline::nvrtc {
namespace {

using namespace std::string_literals;

std::string mistake(const std::string& bytes) {
  try {
    source_text("k.cu", bytes);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SourceText, IsTheFileWithoutAByteOrderMark) {
  EXPECT_EQ(source_text("k.cu", "int gr\xc3\xbc\xc3\x9f;\n"), "int gr\xc3\xbc\xc3\x9f;\n");
  EXPECT_EQ(source_text("k.cu", "\xef\xbb\xbfint a;\n"), "int a;\n");
  EXPECT_EQ(source_text("k.cu", "// gr\xfc\xdf\n"), "// gr\xfc\xdf\n");  // NVRTC reads it
  EXPECT_EQ(source_text("k.cu", ""), "");
}

TEST(SourceText, BytesThatEndACompilationTooEarlyAreToldWithTheirLine) {
  EXPECT_EQ(mistake("one\ntwo\0three"s), "k.cu:2: found the byte 0x00; the file is no UTF-8 text");
  EXPECT_EQ(mistake("\xff"), "k.cu:1: found the byte 0xff; the file is no UTF-8 text");
  for (const std::string& bytes : {"\xff\xfe/\0"s, "\xfe\xff\0/"s})
    EXPECT_EQ(mistake(bytes), "k.cu:1: found UTF-16; the file is no UTF-8 text: save it as UTF-8");
}

}  // namespace
}  // namespace plumbline::nvrtc
