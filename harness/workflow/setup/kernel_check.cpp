#include "workflow/setup/kernel_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/words.h"
#include "protocol/messages.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

/// Cases that fail for the same reason, mostly one mistake in one source.
struct Failure {
  std::string reason, first_case;
  std::size_t cases = 0;
};

std::vector<MeasureAnswer> ask(const std::vector<const Case*>& cases, const WorkerProgram& worker,
                               const std::string& architecture) {
  const ScratchFolder folder;
  const std::string requests = folder.path() + "/requests", answers = folder.path() + "/answers";
  std::string lines;
  for (const Case* c : cases) lines += to_line(MeasureRequest{*c, *c->policy, 0, 1});
  write_atomically(requests, lines);
  worker.compile(architecture, requests, answers, cases.size());
  std::vector<MeasureAnswer> found = answers_in(read_text(answers));
  if (found.size() != cases.size())
    throw Error(fmt::format("'{}' answered for {} of {}", worker.path(), found.size(),
                            counted(cases.size(), "kernel")));
  return found;
}

void add_failure(std::vector<Failure>& failures, const Case& c, const std::string& reason) {
  for (Failure& failure : failures)
    if (failure.reason == reason) {
      ++failure.cases;
      return;
    }
  failures.push_back({reason, c.id, 1});
}

}  // namespace

std::string KernelCheck::in_words(const std::string& architecture) const {
  const std::string looked = fmt::format(
      "{} looked at for {}: of the binary its form, its GPU and the kernel's name, no instruction",
      counted(looked_at, "kernel case"), architecture);
  const std::string read =
      fmt::format("{} read and validated by cudnn-frontend", counted(graphs, "graph case"));
  if (compiled == 0 && looked_at == 0 && graphs > 0) return read;
  if (graphs > 0)
    return KernelCheck{compiled, looked_at, 0, {}}.in_words(architecture) + "; " + read;
  if (compiled == 0 && looked_at > 0) return looked;
  const std::string text =
      fmt::format("{} compiled for {} and checked", counted(compiled, "kernel case"), architecture);
  return looked_at > 0 ? text + "; " + looked : text;
}

KernelCheck check_kernels(const std::vector<Case>& cases, const WorkerProgram& worker,
                          const std::string& architecture) {
  std::vector<const Case*> kernels;
  for (const Case& c : cases)
    if (c.declaration && (c.declaration->kernel || !c.declaration->graph.empty()) &&
        c.excluded.empty() && c.unsupported.empty())
      kernels.push_back(&c);
  if (kernels.empty()) return {};
  const std::vector<MeasureAnswer> answers = ask(kernels, worker, architecture);
  KernelCheck check;
  std::vector<Failure> failures;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string& reason = answers[i].reason;
    // A graph that cuDNN does not support is no mistake in the graph.
    if (!kernels[i]->declaration->kernel && answers[i].status != Status::crashed) {
      ++check.graphs;
      continue;
    }
    if (answers[i].status != Status::ok) {
      add_failure(failures, *kernels[i], reason);
      ++failed;
      continue;
    }
    const bool is_read =
        reason.empty() && !kernels[i]->declaration->kernel->source.ends_with(".cubin");
    ++(is_read ? check.compiled : check.looked_at);
    if (!reason.empty() && std::ranges::find(check.notes, reason) == check.notes.end())
      check.notes.push_back(reason);
  }
  if (failures.empty()) return check;
  const bool has_graphs =
      std::ranges::any_of(kernels, [](const Case* c) { return !c->declaration->graph.empty(); });
  std::string text =
      fmt::format("{} of {} cannot be launched as declared (checked for {}):", failed,
                  counted(kernels.size(), has_graphs ? "case" : "kernel case"), architecture);
  for (const Failure& failure : failures)
    text += fmt::format("\n{}{}: {}", failure.first_case,
                        failure.cases > 1 ? fmt::format(" and {} more", failure.cases - 1) : "",
                        failure.reason);
  throw Error(text);
}

}  // namespace plumbline
