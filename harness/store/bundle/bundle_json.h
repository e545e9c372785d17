/// bundle.json: what a bundle holds, and what measuring it again needs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/file_ref.h"
#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

/// A file of the archive besides bundle.json.
struct BundledFile {
  std::string name;  // in the archive
  std::int64_t bytes = 0;
  std::string hash;  // content_hash_of()
  bool operator==(const BundledFile&) const = default;
};

/// A file of a side's code. Paths are relative to the side's folder.
struct BundledSource {
  std::string path;
  std::string from;  // "tree", "commit"
  std::string hash;  // what the run recorded of it; "": the run did not record it
};

/// A file that a side read and the bundle does not hold.
struct AbsentSource {
  std::string path;  // a redacted bundle has the file's name alone
  std::string hash;  // what the run recorded
  std::string why;
};

struct BundledSide {
  std::string commit, dirty, worker_hash;
  std::vector<std::string> suites, extensions;  // paths in the side's folder
  std::vector<BundledSource> sources;
  std::vector<AbsentSource> absent;
  std::map<std::string, std::string> variables;  // that its workers got; none if it is redacted
  bool hides_variables = false;                  // it had some, which are left out
};

struct Bundle {
  int format = kFormatVersion;
  std::string plumbline;  // version of the program that made it
  bool is_redacted = true;
  std::vector<CaseKey> cases;                 // those that it is about
  std::vector<std::string> set;               // --set of the comparison
  std::map<std::string, std::string> policy;  // measurement options of its command line
  std::array<BundledSide, 2> sides;           // a, b
  std::vector<BundledFile> files;
};

inline constexpr const char* kBundleFile = "bundle.json";
/// The name of a side's folder in the archive.
inline constexpr std::array<const char*, 2> kBundledSides{"sides/a", "sides/b"};
inline constexpr const char* kBundledPage = "page.html";
inline constexpr const char* kBundledComparison = "results/comparison.json";

/// XXH3 of 128 bits, as 32 hexadecimal digits. It finds damage, and no forgery.
std::string content_hash_of(const std::string& content);

std::string bundle_json_text(const Bundle& bundle);

/// `text` of the file bundle.json in `archive`, for messages. Throws Error as other readers of JSON
/// do, and for paths that name_mistake() refuses.
Bundle read_bundle_json(const std::string& text, const std::string& archive);

}  // namespace plumbline
