#include "schedule/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/value.h"

namespace plumbline {
namespace {

constexpr double kDeathNotice_s = 5;   // from the end of the answers to the end of the process
constexpr double kStopNotice_s = 0.5;  // from a worker's stop signal to this program's
constexpr std::size_t kQuotedBytes = 1200;
constexpr std::size_t kQuotedLines = 8;

/// "while verifying": the last phase that the worker reported.
std::string phase_in_words(const std::string& phase) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kWords{{
      {"", "while taking the request"},
      {"prepare", "while preparing"},
      {"verify", "while verifying"},
      {"verify reference", "while computing the reference"},
      {"verify races", "while looking for races between streams"},
      {"measure", "while measuring"},
      {"train", "while training"},
      {"verify again", "while verifying again"},
      {"verify other inputs", "while verifying on other inputs"},
  }};
  for (const auto& [name, words] : kWords)
    if (name == phase) return std::string(words);
  return "in phase '" + phase + "'";
}

/// The last lines of the output, joined into one line.
std::string quoted_tail(const std::string& printed) {
  std::vector<std::string> lines(1);
  for (const char c : printed) {
    if (c == '\n')
      lines.emplace_back();
    else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      lines.back() += c;
  }
  std::erase(lines, "");
  std::string text;
  const std::size_t first = lines.size() > kQuotedLines ? lines.size() - kQuotedLines : 0;
  for (std::size_t i = first; i < lines.size(); ++i) text += (text.empty() ? "" : " / ") + lines[i];
  return text.empty() ? "" : "; it printed: " + text;
}

/// A signal from us is not the worker's fault; signal 9 from elsewhere has one usual sender.
std::string end_in_words(const ProcessEnd& end, bool is_explained = false) {
  if (end.by_us) return "was killed by plumbline";
  if (end.signal == SIGKILL && !is_explained)
    return end.words() +
           ", not sent by plumbline: most often the kernel's out-of-memory killer (see dmesg)";
  return end.words();
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command, WorkerKind kind, Interrupt* interrupt,
                             std::shared_ptr<Successors> successors, const std::string& arena)
    : command_(command), interrupt_(interrupt), successors_(std::move(successors)) {
  std::optional<LaunchedWorker> launched;
  if (successors_) launched = successors_->take(kind, arena);
  try {
    if (!launched) launched = launch_worker(command_, kind, arena);
  } catch (const Error& error) {
    throw WorkerStartError(error.what());
  }
  log_ = std::move(launched->log);
  log_start_ = launched->log_start;
  group_ = std::move(launched->group);
  process_ = std::move(launched->process);
  channel_.emplace(std::move(launched->requests), std::move(launched->answers), *process_,
                   interrupt_, command_.longest_line_bytes);
  program_ = kind.in_python ? command_.in_python.at(1) : command_.argv.at(0);
  name_ = std::string(name_of(kind.profile)) + "-" + std::to_string(process_->pid());
  greet(kind.profile);
}

void WorkerProcess::greet(Profile needed) {
  const std::string profile(name_of(needed));
  std::string line;
  const Heard heard = channel_->read_line(deadline_in(command_.start_timeout_s), line);
  if (heard == Heard::interrupted || (heard == Heard::end && is_stopped_with_us())) return;
  std::string what;
  try {
    if (heard == Heard::line) {
      const WorkerMessage message = parse_worker_message(line);
      if (message.hello) hello_ = *message.hello;
      if (!message.hello) what = "its first line is no hello: '" + line.substr(0, 120) + "'";
    } else if (heard == Heard::late) {
      what = "it said nothing within " + shortest_text(command_.start_timeout_s) + " s";
    } else {
      what = heard == Heard::too_long ? "its first line does not end" : death_in_words();
    }
  } catch (const Error& error) {
    what = error.what();
  }
  const bool is_foreign = what.empty() && hello_.protocol != kProtocolVersion;
  if (is_foreign)
    what = "it speaks protocol " + std::to_string(hello_.protocol) + ", this plumbline protocol " +
           std::to_string(kProtocolVersion) + "; use two of the same protocol";
  const bool lacks_profile = what.empty() && !std::ranges::count(hello_.profiles, profile);
  if (lacks_profile) what = "it has no profile '" + profile + "'";
  if (!what.empty()) {
    process_->kill();
    throw WorkerStartError(
        "worker '" + program_ + "' did not start: " + what + quoted_tail(printed()),
        /*is_lasting=*/is_foreign || lacks_profile);
  }
  if (const auto chain = hello_.calibration.find("context_chain_s");
      chain != hello_.calibration.end())
    command_.fastest_chain->learn(chain->second);
  started_ = usable_ = true;
}

std::optional<MeasureAnswer> WorkerProcess::measure(const MeasureRequest& request,
                                                    double timeout_s) {
  const Deadline deadline = deadline_in(timeout_s);
  log_start_ = lseek(log_.get(), 0, SEEK_END);
  phase_.clear();
  Heard heard = channel_->send(to_line(request), deadline);
  std::string line;
  while (heard == Heard::line) {
    heard = channel_->read_line(deadline, line);
    if (heard != Heard::line) break;
    try {
      const WorkerMessage message = parse_worker_message(line);
      if (message.phase) phase_ = *message.phase;
      if (message.answer) return within_limits(*message.answer);
    } catch (const Error& error) {
      return failed(Status::crashed,
                    "the worker answered nonsense " + phase_in_words(phase_) + ": " + error.what());
    }
  }
  if (heard == Heard::end && is_stopped_with_us()) heard = Heard::interrupted;
  if (heard != Heard::interrupted) return failed(heard, timeout_s);
  usable_ = false;
  process_->kill();
  return std::nullopt;
}

MeasureAnswer WorkerProcess::within_limits(MeasureAnswer answer) {
  if (!group_) return answer;
  // A process that the case started may have been killed, and the answer be what is left.
  if (group_->ran_out_of_memory())
    return failed(Status::crashed, "a process of the case was killed " + phase_in_words(phase_));
  const std::string exceeded = group_->exceeded();
  if (exceeded.empty()) return answer;
  usable_ = false;  // the next case needs processes, too
  process_->kill();
  if (answer.status != Status::ok) answer.reason += "; " + exceeded;
  return answer;
}

MeasureAnswer WorkerProcess::failed(Heard heard, double timeout_s) {
  const std::string where = phase_in_words(phase_);
  if (heard == Heard::late)
    return failed(Status::timeout, "no answer within " + shortest_text(timeout_s) +
                                       " s (timeout_s); the worker was killed " + where);
  if (heard == Heard::too_long)
    return failed(Status::crashed, "the worker's answer is longer than " +
                                       std::to_string(command_.longest_line_bytes) +
                                       " bytes; it was killed " + where);
  const bool torn = !channel_->unfinished().empty();
  return failed(Status::crashed,
                death_in_words() + " " + where + (torn ? ", in the middle of a line" : ""));
}

MeasureAnswer WorkerProcess::failed(Status status, const std::string& what) {
  usable_ = false;
  process_->kill();
  MeasureAnswer answer;
  answer.status = status;
  const std::string exceeded = group_ ? group_->exceeded() : "";
  answer.reason = what + (exceeded.empty() ? "" : ": " + exceeded) + quoted_tail(printed());
  return answer;
}

bool WorkerProcess::is_stopped_with_us() {
  if (!interrupt_) return false;
  const std::optional<ProcessEnd>& end = process_->wait(deadline_in(kDeathNotice_s));
  if (!end || end->by_us) return false;
  constexpr int kOfShell = 128;  // a shell that runs the worker adds it to the signal
  const bool is_stop = std::ranges::any_of(std::array{SIGTERM, SIGINT}, [&](int signal) {
    return end->signal == signal || end->exit_code == kOfShell + signal;
  });
  if (!is_stop) return false;
  pollfd ours{interrupt_->descriptor(), POLLIN, 0};
  poll(&ours, 1, int(1000 * kStopNotice_s));
  return interrupt_->requested();
}

ProcessEnd WorkerProcess::killed() {
  const ProcessEnd& end = process_->kill();
  return command_.sandbox ? end_inside(end) : end;
}

std::string WorkerProcess::death_in_words() {
  const bool died = process_->wait(deadline_in(kDeathNotice_s)).has_value();
  const ProcessEnd end = killed();
  const bool is_explained = group_ && group_->ran_out_of_memory();
  return died ? end_in_words(end, is_explained)
              : "closed its answers but stayed alive, and was killed";
}

std::string WorkerProcess::printed() const {
  const off_t end = lseek(log_.get(), 0, SEEK_END);
  const off_t first = std::max<off_t>(log_start_, end - static_cast<off_t>(kQuotedBytes));
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, end - first)), '\0');
  const ssize_t got = pread(log_.get(), text.data(), text.size(), first);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

std::optional<Goodbye> WorkerProcess::hear_goodbye(Deadline deadline) {
  if (channel_->send(finish_line(), deadline) != Heard::line) return std::nullopt;
  for (std::string line; channel_->read_line(deadline, line) == Heard::line;) try {
      if (const WorkerMessage message = parse_worker_message(line); message.goodbye)
        return message.goodbye;
    } catch (const Error&) {
      return std::nullopt;
    }
  return std::nullopt;
}

void WorkerProcess::prepare_next(WorkerKind kind) {
  if (successors_) successors_->expect({&kind, 1});
}

WorkerEnd WorkerProcess::finish() {
  usable_ = false;
  const Deadline deadline = deadline_in(command_.finish_timeout_s);
  log_start_ = lseek(log_.get(), 0, SEEK_END);
  // Workers without a sentinel are too old for goodbyes: the request would crash them.
  const bool is_asked = !hello_.sentinel.empty();
  const std::optional<Goodbye> goodbye = is_asked ? hear_goodbye(deadline) : std::nullopt;
  channel_->close_requests();  // end of file ends the worker
  const bool ended = process_->wait(deadline).has_value();
  const ProcessEnd end = killed();
  const bool is_interrupted = interrupt_ && interrupt_->requested();
  WorkerEnd result;
  if (goodbye) result.sentinel = goodbye->sentinel;
  if (!ended)
    result.complaint = "did not end within " + shortest_text(command_.finish_timeout_s) +
                       " s after its last request, and was killed" + quoted_tail(printed());
  else if (end.signal != 0 || end.exit_code != 0)
    result.complaint = end_in_words(end) + " after its last request" + quoted_tail(printed());
  else if (is_asked && !goodbye && !is_interrupted)
    result.complaint = "ended without the goodbye that it was asked for" + quoted_tail(printed());
  return result;
}

PairWorkers pair_worker_processes(WorkerCommand command, Interrupt* interrupt) {
  auto successors = command.has_successors ? std::make_shared<Successors>(command) : nullptr;
  PairWorkers workers;
  workers.start = [command = std::move(command), successors, interrupt](
                      WorkerKind kind,
                      const std::string& arena) mutable -> std::unique_ptr<Worker> {
    WorkerCommand now = command;
    for (auto* const words : {&now.argv, &now.in_python})
      words->insert(words->end(), now.first_flags.begin(), now.first_flags.end());
    auto worker = std::make_unique<WorkerProcess>(now, kind, interrupt, successors, arena);
    if (!worker->started()) return nullptr;
    command.first_flags.clear();
    return worker;
  };
  if (successors)
    workers.stand_by = [successors](std::span<const WorkerKind> kinds) {
      successors->expect(kinds);
    };
  return workers;
}

WorkerFactory worker_processes(WorkerCommand command, Interrupt* interrupt) {
  return [workers = pair_worker_processes(std::move(command), interrupt)](WorkerKind kind) {
    return workers.start(kind, "");
  };
}

}  // namespace plumbline
