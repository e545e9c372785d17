#include "cli/judge/verdict_files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cli/text_files.h"
#include "core/error.h"
#include "reports/exports/exports.h"
#include "workflow/results/source_places.h"

namespace plumbline {
namespace {

constexpr const char* kGroup = "Files for other programs";

void append_to(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::app | std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(path + " (from $GITHUB_STEP_SUMMARY) cannot be written");
}

}  // namespace

void add_verdict_files(CLI::App& app, VerdictFiles& files) {
  add_text_file(app, "--markdown", files.markdown, "the verdict as Markdown, below 65,000 bytes")
      ->group(kGroup);
  add_text_file(app, "--junit", files.junit, "the verdict as JUnit XML")->group(kGroup);
  add_text_file(app, "--sarif", files.sarif, "the verdict as SARIF 2.1.0")->group(kGroup);
  app.add_flag("--github", files.github,
               "annotations for GitHub Actions on standard error, and the Markdown in the step's "
               "summary")
      ->group(kGroup);
}

bool takes_standard_output(const VerdictFiles& files) {
  return is_standard_output(files.markdown) || is_standard_output(files.junit) ||
         is_standard_output(files.sarif);
}

void require_one_output(const VerdictFiles& files, bool json) {
  const int count = int(json) + int(is_standard_output(files.markdown)) +
                    int(is_standard_output(files.junit)) + int(is_standard_output(files.sarif));
  if (count > 1)
    throw Error("more than one text would go to standard output; give files to all except one");
}

void write_verdict_files(const Comparison& comparison, const VerdictFiles& files) {
  if (!files.markdown.empty()) write_text_file(files.markdown, markdown_text(comparison));
  if (!files.junit.empty()) write_text_file(files.junit, junit_text(comparison));
  if (files.sarif.empty() && !files.github) return;
  const SourcePlaces places = source_places(comparison);
  if (!files.sarif.empty()) write_text_file(files.sarif, sarif_text(comparison, places));
  if (!files.github) return;
  std::fputs(annotations_text(comparison, places).c_str(), stderr);
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append_to(summary, markdown_text(comparison));
}

}  // namespace plumbline
