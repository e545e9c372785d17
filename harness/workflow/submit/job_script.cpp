#include "workflow/submit/job_script.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "core/words.h"
#include "store/file.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string list_line(const std::string& name, const Words& words) {
  return name + "=(" + shell_command(words) + ")\n";
}

std::string value_line(const std::string& name, const std::string& value) {
  return name + "=" + shell_command({value}) + "\n";
}

std::string settings_text(const Submission& s) {
  std::string text = value_line("FOLDER", s.folder) + value_line("WORK", s.work);
  text += fmt::format("PLUMBLINE=({}{}{})\n", s.slurm.container,
                      s.slurm.container.empty() ? "" : " ", shell_command({s.slurm.program}));
  text += list_line("SUITES", s.suites) + list_line("RUN_FLAGS", s.run_flags);
  text += fmt::format("SHARDS={}\nTRIES={}\n", s.shards, s.tries);
  text += value_line("RUN", s.run) + list_line("COMPARE_FLAGS", s.compare_flags);
  text += value_line("BASELINES", s.baselines) + value_line("BASELINE_SIDE", s.baseline_side);
  text += list_line("PAIR_FLAGS", s.pair_flags);
  text += value_line("RUNS", s.runs) + value_line("SITE", s.site);
  text += "prepare() {\n  :\n";
  for (const std::string& module : s.slurm.modules)
    text += "  module load " + shell_command({module}) + "\n";
  for (const std::string& line : s.slurm.setup) text += "  " + line + "\n";
  return text + "}\n";
}

/// A part of the scripts, as it is installed; without the lines that are for shellcheck.
std::string installed(const std::string& name) {
  const std::string path = (stock_folder().parent_path() / "ci/slurm" / name).string();
  if (!fs::exists(path))
    throw Error(path +
                ": this part of the jobs' scripts is missing; it is installed with plumbline");
  std::string text = read_text(path);
  while (text.starts_with("# shellcheck")) text.erase(0, text.find('\n') + 1);
  return text;
}

}  // namespace

std::string job_script(const std::string& part, const Submission& submission) {
  return settings_text(submission) + "\n" + installed("common.sh") + "\n" + installed(part);
}

}  // namespace plumbline
