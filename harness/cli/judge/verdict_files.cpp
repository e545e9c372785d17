#include "cli/judge/verdict_files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/error.h"
#include "reports/exports/exports.h"
#include "store/file.h"

namespace plumbline {
namespace {

void add_file_flag(CLI::App& app, const char* name, std::string& path, const char* help) {
  app.add_option(name, path, help)->type_name("FILE")->group("Files for other programs");
}

void append_to(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::app | std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(path + " (from $GITHUB_STEP_SUMMARY) cannot be written");
}

}  // namespace

void add_verdict_files(CLI::App& app, VerdictFiles& files) {
  add_file_flag(app, "--markdown", files.markdown, "the verdict as Markdown, below 65,000 bytes");
  add_file_flag(app, "--junit", files.junit, "the verdict as JUnit XML");
  add_file_flag(app, "--sarif", files.sarif, "the verdict as SARIF 2.1.0");
  app.add_flag("--github", files.github,
               "annotations for GitHub Actions on standard error, and the Markdown in the step's "
               "summary")
      ->group("Files for other programs");
}

void write_verdict_files(const Comparison& comparison, const VerdictFiles& files) {
  if (!files.markdown.empty()) write_atomically(files.markdown, markdown_text(comparison));
  if (!files.junit.empty()) write_atomically(files.junit, junit_text(comparison));
  if (!files.sarif.empty()) write_atomically(files.sarif, sarif_text(comparison));
  if (!files.github) return;
  std::fputs(annotations_text(comparison).c_str(), stderr);
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append_to(summary, markdown_text(comparison));
}

}  // namespace plumbline
