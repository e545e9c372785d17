/// A test's own folder with sources, removed at the end of the test.
///
/// Uses POSIX: programs that link LibTorch must not use std::filesystem (backends/files.h).
#pragma once

#include <ftw.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace plumbline {

class SourceFolder {
 public:
  SourceFolder() : path_(testing::TempDir() + "plumbline_sources_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no folder can be made: " << path_;
  }
  ~SourceFolder() {
    constexpr int kOpenFolders = 16;
    const auto remove = [](const char* path, const struct stat*, int, struct FTW*) {
      return std::remove(path);
    };
    nftw(path_.c_str(), remove, kOpenFolders, FTW_DEPTH | FTW_PHYS);
  }
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file, makes its folders, and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
      mkdir(path(name.substr(0, slash)).c_str(), 0777);
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace plumbline
