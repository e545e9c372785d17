#include "cli/tell/number_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

/// The result of reading a file with that text: the numbers, or the error without the path.
std::vector<double> numbers_in(const std::string& text, Domain domain = Domain::any) {
  const TemporaryFolder folder;
  const std::string path = folder / "numbers.txt";
  std::ofstream(path) << text;
  return read_numbers(path, domain);
}

std::string error_of(const std::string& text, Domain domain = Domain::any) {
  try {
    numbers_in(text, domain);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find("numbers.txt:") + 12);
  }
  return "no error";
}

using Numbers = std::vector<double>;

TEST(NumberFile, blank_lines_comments_and_line_ends_of_windows_are_skipped) {
  EXPECT_EQ(numbers_in("1\n\n# two\n  2.5 # and a half\r\n\t-3e-5\n+4"),
            (Numbers{1, 2.5, -3e-5, 4}));
  EXPECT_EQ(numbers_in("\xef\xbb\xbf"
                       "7\n"),
            Numbers{7});
  EXPECT_EQ(numbers_in(""), Numbers());
  EXPECT_EQ(numbers_in("# nothing"), Numbers());
}

TEST(NumberFile, what_is_no_number_is_named_with_line_and_column) {
  EXPECT_EQ(error_of("1\n  x2\n"), "2:3: found 'x2', expected one number a line, as in 1.25e-05");
  EXPECT_EQ(error_of("1 2\n"), "1:1: found '1 2', expected one number a line, as in 1.25e-05");
  EXPECT_EQ(error_of("1,5"), "1:1: found '1,5', expected one number a line, as in 1.25e-05");
  EXPECT_EQ(error_of("+-1"), "1:1: found '+-1', expected one number a line, as in 1.25e-05");
  EXPECT_EQ(error_of("0\n0\nnan"), "3:1: found 'nan', expected a finite number");
  EXPECT_EQ(error_of("-inf"), "1:1: found '-inf', expected a finite number");
  EXPECT_EQ(error_of("1e999"), "1:1: found '1e999', beyond what a double can hold");
  EXPECT_EQ(numbers_in("1e308 \n5e-324"), (Numbers{1e308, 5e-324}));
}

TEST(NumberFile, numbers_outside_the_domain_are_named_too) {
  EXPECT_EQ(error_of("0\n1\n1.5", Domain::probabilities),
            "3:1: found '1.5', a p value lies in [0, 1]");
  EXPECT_EQ(error_of("0\n-1", Domain::not_negative), "2:1: found '-1', expected 0 or more");
  EXPECT_EQ(error_of("1\n0", Domain::positive), "2:1: found '0', expected a number above 0");
}

TEST(NumberFile, a_file_that_is_not_there_is_an_error) {
  EXPECT_THROW(read_numbers("/nowhere/numbers.txt", Domain::any), Error);
}

}  // namespace
}  // namespace plumbline
