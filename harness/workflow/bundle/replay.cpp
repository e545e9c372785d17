#include "workflow/bundle/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "analysis/confirm/judge_pairs.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/visible.h"
#include "core/words.h"
#include "store/bundle/bundle_reader.h"
#include "store/file.h"
#include "store/json/json_fields.h"
#include "store/run/locate.h"
#include "store/verdict/comparison_json.h"
#include "workflow/bundle/contents.h"
#include "workflow/bundle/fitness.h"
#include "workflow/bundle/readable_sides.h"
#include "workflow/bundle/reader_machine.h"
#include "workflow/judge/ab.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostShown = 20;  // files of a side that are told

using Claims = std::vector<Finding>;

struct Unpacked {
  std::string folder;
  Bundle bundle;
  Comparison comparison;
  Claims claims;

  std::string side(std::size_t i) const { return folder + "/" + kBundledSides[i]; }
  const RunInfo& info(std::size_t i) const {
    return i == 0 ? comparison.baseline : comparison.candidate;
  }
};

Unpacked unpacked(const ReplayRequest& request, const std::string& folder) {
  // A sandbox shows the whole tree that a suite is in.
  if (const std::string root = tree_in_git(folder).root; !root.empty())
    throw Error(fmt::format(
        "the folder for temporary files lies in the git tree {}: set TMPDIR to one outside", root));
  Unpacked made{folder, read_bundle(request.archive, folder), {}, {}};
  made.comparison = read_comparison(folder + "/" + kBundledComparison);
  std::set<std::string> cases = request.cases;
  if (cases.empty())
    for (const CaseKey& key : made.bundle.cases) cases.insert(key.case_id);
  made.claims = claims_of(made.comparison, cases);
  return made;
}

std::vector<ClaimAnswer> all_for(const Claims& claims, const std::string& reason) {
  std::vector<ClaimAnswer> answers;
  for (const Finding& claim : claims) answers.push_back(not_comparable(claim, reason));
  return answers;
}

/// What differs between the sides and is not in a bundle. "" if this machine has it.
std::string missing_parts(const ReplayRequest& request, const Unpacked& bundle,
                          const Machine& machine) {
  const auto& [a, b] = bundle.bundle.sides;
  const bool had_workers =
      !a.worker_hash.empty() && !b.worker_hash.empty() && a.worker_hash != b.worker_hash;
  if (had_workers && machine.hashes[0] == machine.hashes[1])
    return "the sides had different workers, which are not in the bundle: name them with "
           "--a-worker and --b-worker";
  for (const std::size_t i : {0, 1}) {
    const BundledSide& side = bundle.bundle.sides[i];
    const char name = "ab"[i];
    const auto given =
        variables_of(fmt::format("--{}-env", name), request.sides.sides[i].variables);
    if (side.hides_variables && given.empty())
      return fmt::format(
          "side {0} had variables of its own, which a redacted bundle does not tell: give them "
          "with "
          "--{0}-env",
          name);
    for (const auto& [variable, value] : side.variables) {
      const auto known = given.find(variable);
      if (known == given.end() || known->second != value)
        return fmt::format(
            "side {0} had the variable {1}={2}: if you want that, give it with "
            "--{0}-env",
            name, variable, value);
    }
  }
  return "";
}

/// Why nothing can be compared; "" if some claims can.
std::string whole_reason(const ReplayRequest& request, const Unpacked& bundle,
                         const Machine& machine) {
  if (!machine.missing.empty()) return machine.missing;
  for (const std::size_t i : {0, 1}) {
    if (bundle.bundle.sides[i].suites.empty())
      return std::string("the bundle has no suite of side ") + "ab"[i];
    const int revision = bundle.info(i).measurement_revision;
    if (revision != kMeasurementRevision)
      return fmt::format("its metrics mean something else: measurement revision {} there, {} here",
                         revision, kMeasurementRevision);
    if (std::string why = device_difference(bundle.info(i).environment, machine.environments[i]);
        !why.empty())
      return why;
  }
  if (std::string why = missing_parts(request, bundle, machine); !why.empty()) return why;
  const auto mistakes = mistakes_in_sides(bundle.bundle, bundle.folder);
  return mistakes.empty() ? "" : "the bundle lacks something: " + mistakes.front();
}

OwnCode own_code(const BundledSide& side) {
  OwnCode own = OwnCode::none;
  for (const BundledSource& source : side.sources) {
    const std::string& path = source.path;
    if (path.ends_with(".py") || path.ends_with(".pt") || path.ends_with(".pt2"))
      return OwnCode::python;
    if (is_code(side, path)) own = OwnCode::compiled;
  }
  return own;
}

/// True if flags of this command give the sides something to differ in.
bool differ_by_flags(const SidesOptions& options) {
  const auto& [a, b] = options.sides;
  return a.worker != b.worker || a.variables != b.variables || a.libraries != b.libraries;
}

std::string claim_reason(const Finding& claim, const ReplayRequest& request, const Unpacked& bundle,
                         const Machine& machine) {
  if (claim.verdict != Verdict::same && are_sides_alike(bundle.bundle) &&
      !differ_by_flags(request.sides))
    return "both sides have the same files, worker and variables in the bundle: what made the "
           "difference is not in it";
  for (const std::size_t i : {0, 1}) {
    const std::string why = library_difference(claim, own_code(bundle.bundle.sides[i]),
                                               bundle.info(i).environment, machine.environments[i]);
    if (!why.empty()) return fmt::format("side {}: {}", "ab"[i], why);
  }
  return "";
}

/// Says which code will run, where it comes from, and with which rights.
void tell_code(const ReplayRequest& request, const Unpacked& bundle, Talk& talk) {
  for (const std::size_t i : {0, 1}) {
    const BundledSide& side = bundle.bundle.sides[i];
    const std::string commit =
        side.commit.empty()
            ? "no commit is known"
            : "commit " + side.commit.substr(0, 12) + (side.dirty == "yes" ? " with changes" : "");
    talk.say(fmt::format("side {}: {} of the bundle, {}:", "ab"[i],
                         counted(side.sources.size(), "file"), visible(commit)));
    for (std::size_t shown = 0; shown < std::min(side.sources.size(), kMostShown); ++shown) {
      const std::string& path = side.sources[shown].path;
      talk.say(fmt::format("  {}: {}", visible(path), use_of(side, path)));
    }
    if (side.sources.size() > kMostShown)
      talk.say(fmt::format("  and {} more; `plumbline bundle --list` shows them",
                           side.sources.size() - kMostShown));
  }
  talk.say(request.is_trusted
               ? "its code runs with your rights, because of --trust"
               : "its code runs in a sandbox: no network, no home, nothing that it may change");
}

/// A side names its suites itself: they may lie at other places than the other side's. JSON is
/// YAML.
void write_project(const Unpacked& bundle, std::size_t i) {
  Json project;
  project["suites"] = bundle.bundle.sides[i].suites;
  write_atomically(bundle.side(i) + "/plumbline.yaml", project.dump() + "\n");
}

AbRequest pairs_of(const ReplayRequest& request, const Unpacked& bundle, const Machine& machine,
                   const Claims& claims) {
  AbRequest pairs;
  pairs.a = {bundle.side(0), SideKind::folder, "side a"};
  pairs.b = {bundle.side(1), SideKind::folder, "side b"};
  pairs.sides = request.sides;
  pairs.sides.skips_build = true;  // nothing is built: what ran is in the bundle
  for (const std::size_t i : {0, 1}) pairs.sides.sides[i].worker = machine.workers[i];
  pairs.run = request.run;
  pairs.run.worker.is_sandboxed = !request.is_trusted;
  if (!request.is_trusted)  // suites name files of their whole side
    for (const std::size_t i : {0, 1}) pairs.run.worker.readable.push_back(bundle.side(i));
  pairs.run.worker.device = machine.device;
  for (const std::string& extension : bundle.bundle.sides[1].extensions)
    pairs.run.worker.extensions.push_back(bundle.side(1) + "/" + extension);
  pairs.run.suite.set = bundle.bundle.set;
  pairs.run.suite.policy = bundle.bundle.policy;
  pairs.run.suite.policy.erase("rounds");
  std::set<std::string> ids;
  for (const Finding& claim : claims) ids.insert(claim.case_id);
  pairs.run.suite.selection.cases.assign(ids.begin(), ids.end());
  pairs.pairs = request.pairs;
  // The comparison's thresholds where pairs decided, and not those of a project of this machine.
  const std::string& kind = machine.environments[1].device_kind;
  const PairedRule usual = default_paired_rule(kind);
  const DecisionRule& rule = bundle.comparison.rule;
  const bool is_ab = bundle.comparison.is_ab;
  if (!pairs.pairs.margin) pairs.pairs.margin = is_ab ? rule.margin : usual.margin;
  if (!pairs.pairs.effect_floor)
    pairs.pairs.effect_floor = is_ab ? rule.effect_floor : usual.effect_floor;
  pairs.command = request.command;
  return pairs;
}

/// The first reason of a case without samples in a run.
std::string reason_in(const std::optional<Run>& run, const Finding& claim) {
  if (!run) return "";
  for (const ResultRow& row : run->rows)
    if (row.suite == claim.suite && row.case_id == claim.case_id && !row.reason.empty() &&
        (row.metric.empty() || row.metric == claim.metric))
      return fmt::format("{}: {}", name_of(row.status), row.reason);
  return "";
}

ClaimAnswer judged(const Finding& claim, const PageMaterial& material, double margin) {
  const std::vector<Finding>& findings = material.comparison->findings;
  const auto same = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.suite == claim.suite && finding.case_id == claim.case_id &&
           finding.metric == claim.metric;
  });
  ClaimAnswer answer = answer_of(claim, same == findings.end() ? nullptr : &*same, margin);
  if (answer.answer != ReplayAnswer::not_comparable) return answer;
  for (const auto* run : {&material.candidate, &material.baseline})
    if (const std::string why = reason_in(*run, claim); !why.empty()) answer.reason = why;
  return answer;
}

/// Files that a side read.
std::vector<std::string> absent_files(const Bundle& bundle) {
  std::vector<std::string> names;
  for (const BundledSide& side : bundle.sides)
    for (const AbsentSource& absent : side.absent) names.push_back(absent.path);
  return names;
}

/// Without a folder if the bundle lacks files and what is left cannot be measured: the answers say
/// so.
AbResult measured_pairs(AbRequest pairs, const Unpacked& bundle, Talk& talk, ReplayResult& result) {
  const std::vector<std::string> absent = absent_files(bundle.bundle);
  try {
    return measure_ab(std::move(pairs), talk);
  } catch (const Error& error) {
    if (absent.empty()) throw;
    const std::string why =
        fmt::format("the bundle lacks {}, such as {}, and without: {}",
                    counted(absent.size(), "file"), absent.front(), error.what());
    for (ClaimAnswer& answer : result.answers)
      if (answer.reason.empty()) answer.reason = why;
    return {};
  }
}

}  // namespace

ReplayResult replay(const ReplayRequest& request, Talk& talk) {
  const ScratchFolder scratch;
  const Unpacked bundle = unpacked(request, scratch.path());
  const Machine machine = machine_for(request.run, request.sides,
                                      {&bundle.info(0).environment, &bundle.info(1).environment});
  ReplayResult result;
  result.device = machine.environments[1].device_class;
  if (const std::string why = whole_reason(request, bundle, machine); !why.empty()) {
    result.answers = all_for(bundle.claims, why);
    return result;
  }
  Claims measured;
  for (const Finding& claim : bundle.claims) {
    const std::string why = claim_reason(claim, request, bundle, machine);
    result.answers.push_back(not_comparable(claim, why));
    if (why.empty()) measured.push_back(claim);
  }
  if (measured.empty()) return result;
  AbRequest pairs = pairs_of(request, bundle, machine, measured);
  try {
    check_sandbox(pairs.run, talk);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}; the bundle has code of others: read it (`plumbline bundle --list`), and "
                    "say --trust to "
                    "run it with your rights",
                    error.what()));
  }
  tell_code(request, bundle, talk);
  for (const std::size_t i : {0, 1}) write_project(bundle, i);
  if (pairs.run.output.empty()) pairs.run.output = new_run_directory(".", now_utc(), "", "replay");
  const double margin = *pairs.pairs.margin;
  AbResult done = measured_pairs(std::move(pairs), bundle, talk, result);
  if (done.folder.empty() && done.signal == 0) return result;
  result.signal = done.signal;
  result.folder = done.folder;
  if (done.signal != 0) return result;
  result.judged = std::move(done.judged);
  for (ClaimAnswer& answer : result.answers)
    if (answer.reason.empty()) answer = judged(answer.claim, result.judged, margin);
  return result;
}

}  // namespace plumbline
