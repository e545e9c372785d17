#include "schedule/clock_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/value.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

/// UUIDs are valid file names.
std::string marker_path(const std::string& device_uuid, const std::string& folder) {
  return folder + "/" + device_uuid + ".clock";
}

/// The keeper's output without its answers, as the end of a sentence.
std::string quoted(std::string printed) {
  constexpr std::string_view kPrefix = "plumbline-worker: ";
  if (printed.starts_with(kPrefix)) printed.erase(0, kPrefix.size());
  while (printed.ends_with('\n')) printed.pop_back();
  return printed;
}

}  // namespace

ClockKeeper::ClockKeeper(const KeeperCommand& command) : command_(command) {
  Pipe input = make_pipe(), output = make_pipe();
  process_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{command.worker, "--lock-clocks", command.clock, "--device",
                               command.device_uuid, "--marker",
                               marker_path(command.device_uuid, command.folder)},
      std::vector<std::pair<int, int>>{{input.read_end.get(), STDIN_FILENO},
                                       {output.write_end.get(), STDOUT_FILENO},
                                       {output.write_end.get(), STDERR_FILENO}});
  output.write_end.reset();
  input_ = std::move(input.write_end);
  output_ = std::move(output.read_end);
  const Deadline deadline = deadline_in(command.start_timeout_s);
  std::string printed;
  for (std::string line; read_line(deadline, line); printed += line + '\n') {
    const Json answer = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!answer.is_object() || !answer.contains("locked")) continue;
    const Json& locked = answer["locked"];
    if (const auto hz = locked.find("observed_hz"); hz != locked.end() && hz->is_number())
      observed_hz_ = hz->get<double>();
    left_behind_ = locked.value("left_behind", "");
    return;
  }
  const bool is_late = milliseconds_until(deadline) == 0;
  input_.reset();  // a keeper that still runs then restores the clock
  const bool has_ended = process_->wait(deadline_in(command.finish_timeout_s)).has_value();
  const std::string words = quoted(printed + pending_);
  const bool is_refusal = has_ended && process_->poll_end()->exit_code != 0 && !words.empty();
  if (is_refusal && !is_late) throw Error(words);
  throw Error("cannot lock the clocks of " + command.device_uuid + ": '" + command.worker + "' " +
              (is_late ? "was not ready within " + shortest_text(command.start_timeout_s) + " s"
                       : process_->kill().words()) +
              (words.empty() ? "" : "; it printed: " + words) +
              (has_ended ? "" : restore_advice()));
}

ClockKeeper::~ClockKeeper() { release(); }

bool ClockKeeper::read_line(Deadline deadline, std::string& line) {
  for (;;) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return true;
    }
    pollfd watched{output_.get(), POLLIN, 0};
    const int left_ms = milliseconds_until(deadline);
    if (left_ms == 0 || poll(&watched, 1, left_ms) == 0) return false;
    if (watched.revents == 0) continue;
    char buffer[4096];
    const ssize_t got = read(output_.get(), buffer, sizeof buffer);
    if (got == 0) return false;
    if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string ClockKeeper::restore_advice() const {
  return "; the clocks of " + command_.device_uuid +
         " may still be locked: as root, nvidia-smi -i " + command_.device_uuid +
         " -rgc restores them, and so does the next run with --lock-clocks";
}

std::string ClockKeeper::release() {
  if (input_.get() < 0) return "";
  input_.reset();
  const Deadline deadline = deadline_in(command_.finish_timeout_s);
  std::string printed;
  for (std::string line; read_line(deadline, line);)
    if (!line.starts_with('{')) printed += line + '\n';
  if (!process_->wait(deadline))
    return "the keeper of the clocks did not end within " +
           shortest_text(command_.finish_timeout_s) + " s, and was killed" + restore_advice();
  const ProcessEnd& end = *process_->poll_end();
  if (end.signal == 0 && end.exit_code == 0) return "";
  std::string words = quoted(printed);
  if (end.signal == 0 && !words.empty()) return words;
  return "the process that restores the clocks ended too early: it " +
         std::string(end.signal != 0 ? "was " : "") + end.words() + restore_advice();
}

std::optional<std::string> clock_left_locked(const std::string& device_uuid,
                                             const std::string& folder) {
  const Descriptor file(open(marker_path(device_uuid, folder).c_str(), O_RDONLY | O_CLOEXEC));
  struct flock found {};
  found.l_type = F_WRLCK;
  found.l_whence = SEEK_SET;
  if (file.get() < 0 || fcntl(file.get(), F_OFD_GETLK, &found) != 0 || found.l_type != F_UNLCK)
    return std::nullopt;
  char text[4096];
  const ssize_t got = pread(file.get(), text, sizeof text, 0);
  if (got <= 0) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(got));
}

}  // namespace plumbline
