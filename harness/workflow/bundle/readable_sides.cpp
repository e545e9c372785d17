#include "workflow/bundle/readable_sides.h"

#include <filesystem>
#include <memory>

#include "core/error.h"
#include "workflow/setup/python_suite.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

/// "" if there is none.
std::string mistake_in(const BundledSide& side, const Bundle& bundle, const fs::path& folder) {
  std::vector<std::string> files;
  for (const std::string& suite : side.suites)
    if (!is_python_suite(suite)) files.push_back((folder / suite).string());
  SuiteRequest request;
  request.set = bundle.set;
  request.policy = bundle.policy;
  // Axes may be those of the suites that are left out.
  if (files.size() < side.suites.size()) request.set.clear();
  const auto limits = std::make_shared<FileLimits>();
  limits->roots = {fs::weakly_canonical(folder).string()};
  try {
    read_suites(files, request, nullptr, limits);
  } catch (const Error& error) {
    return without(error.what(), fs::weakly_canonical(folder).string() + "/");
  }
  return "";
}

}  // namespace

std::vector<std::string> mistakes_in_sides(const Bundle& bundle, const std::string& folder) {
  std::vector<std::string> mistakes;
  for (const std::size_t i : {0, 1}) {
    const std::string mistake =
        mistake_in(bundle.sides[i], bundle, fs::path(folder) / kBundledSides[i]);
    if (!mistake.empty()) mistakes.push_back(std::string("side ") + "ab"[i] + ": " + mistake);
  }
  return mistakes;
}

}  // namespace plumbline
