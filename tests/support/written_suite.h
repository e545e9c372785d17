/// A suite written to a file for one test, loaded with the small catalogue.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"

namespace plumbline {

class WrittenSuite {
 public:
  explicit WrittenSuite(const std::string& text)
      : path_(testing::TempDir() + "plumbline_suite_" + std::to_string(getpid()) + ".yaml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~WrittenSuite() { std::filesystem::remove(path_); }
  WrittenSuite(const WrittenSuite&) = delete;
  WrittenSuite& operator=(const WrittenSuite&) = delete;

  const std::string& path() const { return path_; }

  Suite load(const SuiteOptions& options = {}) const {
    return load_suite(path_, small_catalogue(), options);
  }

  /// The message of a failed load or of refused axes, without the path; "" if nothing fails.
  std::string mistake(const SuiteOptions& options = {}) const {
    try {
      const Suite suite = load(options);
      check_axes_used({&suite, 1}, options);
    } catch (const Error& error) {
      std::string message = error.what();
      const auto at = message.find(path_);
      return at == std::string::npos ? message : message.replace(at, path_.size(), "FILE");
    }
    return "";
  }

 private:
  std::string path_;
};

}  // namespace plumbline
