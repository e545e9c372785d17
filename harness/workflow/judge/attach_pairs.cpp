#include "workflow/judge/attach_pairs.h"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "core/moment.h"
#include "store/run/locate.h"
#include "store/verdict/comparison_json.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

/// The folder of the pairs: as the request says, else a new one among the project's runs.
std::string folder_of(const AttachRequest& request) {
  if (!request.output.empty()) return request.output;
  const Project project = find_project(std::filesystem::current_path().string(), request.places);
  return new_run_directory(project.places.runs, now_utc(), "", "attach-ab");
}

/// The four runs of a pair; how the first program that failed ended.
ProcessEnd measure_pair(std::array<AttachedRun*, 2> sides, std::size_t pair) {
  const std::size_t first = pair % 2;
  const std::size_t order[] = {first, 1 - first, 1 - first, first};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    const ProcessEnd end =
        sides[order[i]]->measure(std::int64_t(pair), fmt::format("attach-{}-{}", pair, i));
    if (end.signal != 0 || end.exit_code != 0) return end;
  }
  return {};
}

}  // namespace

AbResult attach_in_pairs(const AttachRequest& request, const std::string& program_a,
                         const PairOptions& pairs, Talk& talk) {
  AttachRequest of_a = request;
  of_a.program = {"/bin/sh", "-c", program_a};
  AttachRequest of_b = request;
  of_a.name = of_b.name = request.name.empty() ? name_of_program(request.program) : request.name;
  const std::string folder = folder_of(request);
  AttachedRun a(of_a, folder + "/a", talk), b(of_b, folder + "/b", talk);
  PairedTrial trial(pairs.rule("cuda"), {});
  ProcessEnd end;
  std::size_t done = 0;
  for (std::size_t look = 0; look < trial.rule().looks.size() && !trial.is_done(); ++look) {
    for (; done < trial.rule().looks[look] && end.signal == 0 && end.exit_code == 0; ++done) {
      talk.say(fmt::format("pair {} of {} at most", done + 1, trial.rule().looks.back()));
      end = measure_pair({&a, &b}, done);
    }
    const bool is_users = end.signal == SIGINT || end.signal == SIGTERM;
    if (is_users) return {end.signal, folder, {}};
    if (!a.is_begun() || !b.is_begun())
      throw NothingRecorded("a program " + end.words() + " before both had run", end);
    trial.look_at(a.run(), b.run(), look);
    if (end.signal != 0 || end.exit_code != 0) break;
  }
  a.finish();
  b.finish();
  for (AttachedRun* side : {&a, &b}) talk.notes(notes_of(side->facts()));
  Comparison comparison = trial.comparison(a.run(), b.run(), {});
  comparison.is_ab = true;
  write_comparison(comparison, folder + "/comparison.json");
  return {0, folder, {b.run(), a.run(), std::move(comparison)}};
}

}  // namespace plumbline
