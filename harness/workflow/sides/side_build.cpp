#include "workflow/sides/side_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/cache_key.h"
#include "core/error.h"
#include "schedule/process/child_process.h"
#include "schedule/process/interrupt.h"
#include "store/file.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/sides/build_record.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kWatch_s = 0.2;
constexpr std::size_t kQuotedLines = 30;

/// The last lines of the log, each indented.
std::string quoted_end(const std::string& log) {
  const std::string text = read_text(log);
  std::size_t begin = text.size();
  for (std::size_t lines = 0; begin > 0 && lines <= kQuotedLines; ++lines) {
    const std::size_t end = text.rfind('\n', begin - 1);
    begin = end == std::string::npos ? 0 : end;
  }
  std::string quoted;
  for (const char c : text.substr(begin == 0 ? 0 : begin + 1)) {
    if (quoted.empty() || quoted.back() == '\n') quoted += "  ";
    quoted += c;
  }
  return quoted.empty() ? "  (it printed nothing)\n" : quoted;
}

/// "variable CFLAGS, compiler /usr/bin/g++ and 3 more"
std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kQuoted = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kQuoted); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kQuoted ? text
                                 : text + fmt::format(" and {} more", names.size() - kQuoted);
}

/// True if the existing build is the one that would be made now. A different build is removed, and
/// the revision is checked out again.
bool is_built(Place& place, const std::string& record, Talk& talk) {
  Checkout& checkout = place.checkout;
  if (!fs::exists(checkout.done)) return false;
  const std::vector<std::string> other =
      differences(read_text(checkout.done), record + edits_record(checkout.path));
  if (other.empty()) return true;
  if (!make_anew(place.origin, place.commit, checkout))
    throw Error(
        fmt::format("{} changed since {} was built, and another command measures that build: "
                    "repeat this one when the other has ended",
                    quoted(other), place.name));
  talk.note(fmt::format("{} changed since {} was built: it is checked out and built anew",
                        quoted(other), place.name));
  return false;
}

}  // namespace

std::string build_log_of(const std::string& folder) {
  return made_cache_folder("builds") + "/" + cache_key(folder) + ".log";
}

int run_build(const SideBuild& build, Talk& talk) {
  std::filesystem::remove(build.log);
  const Descriptor log = open_to_append(build.log);
  talk.say(fmt::format("building {} in {}: {}; log: {}", build.who, build.folder, build.command,
                       build.log));
  EnvironmentVariables variables;
  if (!build.is_own_folder) variables["PLUMBLINE_BUILD"] = "";
  Interrupt interrupt;
  std::vector<std::string> argv{"/bin/sh", "-c", "cd \"$0\" || exit 2\n" + build.command,
                                build.folder};
  std::unique_ptr<ResourceGroup> group;  // outlives the child
  if (build.sandbox) {
    SandboxStart start = sandboxed(build.sandbox->view, argv, variables);
    argv = std::move(start.argv);
    group = std::move(start.group);
    variables.clear();
  }
  ChildProcess child(argv, {{log.get(), STDOUT_FILENO}, {log.get(), STDERR_FILENO}}, variables);
  while (!child.wait(deadline_in(kWatch_s)))
    if (interrupt.requested()) child.kill();
  const ProcessEnd end = *child.poll_end();
  if (build.sandbox) refuse_new_repositories(*build.sandbox);
  if (interrupt.requested()) return interrupt.signal_number();
  if (end.signal == 0 && end.exit_code == 0) return 0;
  const std::string exceeded = group ? group->exceeded() : "";
  throw BuildFailed(
      fmt::format("{} cannot be built: `{}` in {} {}{}. Its last lines:\n{}the whole log is {}",
                  build.who, build.command, build.folder, end.words(),
                  exceeded.empty() ? "" : ": " + exceeded, quoted_end(build.log), build.log));
}

int build_revision(Place& place, const RevisionBuild& build, Talk& talk) {
  Checkout& checkout = place.checkout;
  const std::string record = build_record(build.folder, build.command);
  if (!is_built(place, record, talk)) {
    if (!build.command.empty())
      if (const int signal = run_build(
              {place.name, build.command, build.folder, checkout.log, false, build.sandbox}, talk))
        return signal;
    write_atomically(checkout.done, record + edits_record(checkout.path));
  }
  share(checkout);
  return 0;
}

}  // namespace plumbline
