/// plumbline bundle: a comparison as one file that others can measure again.
#include "workflow/bundle/bundle.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "store/bundle/bundle_reader.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/bundle/contents.h"

namespace plumbline {
namespace {

struct BundleFlags {
  BundleRequest request;
  std::vector<std::string> cases;
  std::string list;
  bool json = false;
};

std::string side_text(const BundledSide& side, char name) {
  std::string text =
      fmt::format("side {}: {}{}, worker {}\n", name,
                  side.commit.empty() ? "no commit is known" : "commit " + side.commit,
                  side.dirty == "yes" ? " with changes" : "",
                  side.worker_hash.empty() ? "unknown" : side.worker_hash);
  for (const BundledSource& source : side.sources)
    text += fmt::format(
        "  {}: {}; {}\n", source.path, use_of(side, source.path),
        source.hash.empty() ? "the run did not record its bytes" : "as recorded, " + source.hash);
  for (const AbsentSource& absent : side.absent)
    text += fmt::format("  {}: not in the bundle: {}\n", absent.path, absent.why);
  for (const auto& [variable, value] : side.variables)
    text += fmt::format("  variable {}={}: not set by a replay\n", variable, value);
  return text;
}

/// All of it is of others.
std::string text_of(const Bundle& bundle) {
  std::string text =
      fmt::format("made by Plumbline {}, {}\n", bundle.plumbline,
                  bundle.is_redacted ? "redacted" : "with names of machines, people and folders");
  for (const CaseKey& key : bundle.cases)
    text += fmt::format("case {}: {}\n", key.suite, key.case_id);
  for (const std::size_t i : {0, 1}) text += side_text(bundle.sides[i], "ab"[i]);
  for (const BundledFile& file : bundle.files)
    text += fmt::format("{}  {}  {}\n", file.hash, file.bytes, file.name);
  for (const std::string& limit : limits_of_replay(bundle)) text += "note: " + limit + "\n";
  return visible(text);
}

int list(const BundleFlags& flags) {
  const Bundle bundle = read_bundle(flags.list);
  flags.json ? print_result(bundle_json_text(bundle)) : print_text(text_of(bundle));
  return kExitOk;
}

int bundle(const BundleFlags& flags) {
  if (!flags.list.empty()) {
    if (!flags.request.comparison.empty() || !flags.request.output.empty())
      throw Error("--list shows a bundle: it takes no COMPARISON and no -o");
    return list(flags);
  }
  if (flags.request.comparison.empty() || flags.request.output.empty())
    throw Error("name a COMPARISON and the file to make: -o FILE.tar.zst; or --list FILE.tar.zst");
  BundleRequest request = flags.request;
  request.cases.insert(flags.cases.begin(), flags.cases.end());
  ConsoleTalk talk;
  const Bundle made = make_bundle(request, talk);
  if (flags.json) {
    print_result(bundle_json_text(made));
    return kExitOk;
  }
  print_text(fmt::format(
      "{}, {} of side a, {} of side b, {}\n{}\n", counted(made.cases.size(), "case"),
      counted(made.sides[0].sources.size(), "file"), counted(made.sides[1].sources.size(), "file"),
      made.is_redacted ? "redacted" : "not redacted", request.output));
  return kExitOk;
}

}  // namespace

Command bundle_command() {
  return {
      "bundle", "Pack a comparison with its code, so that others can measure it again",
      [](CLI::App& app) {
        auto flags = std::make_shared<BundleFlags>();
        app.add_option("COMPARISON", flags->request.comparison,
                       "a comparison.json, or a folder of `ab`");
        app.add_option("-o,--output", flags->request.output, "the bundle to write, .tar.zst")
            ->type_name("FILE");
        add_list_flag(app, "--case", flags->cases,
                      "a case of the comparison, SAME ones too [all that are SLOWER or FASTER, or "
                      "look so]")
            ->type_name("ID");
        app.add_flag("--unredacted", flags->request.is_unredacted,
                     "keep names of machines, people and folders, and variables of the sides");
        app.add_option("--list", flags->list,
                       "show what is in a bundle, what would run of it, and hashes; runs nothing")
            ->type_name("FILE");
        app.add_flag("--json", flags->json, "print bundle.json");
        app.footer(
            "A bundle holds the comparison and its runs, redacted as by `redact`; a page; and of "
            "both sides the suites and the files that they ran, as they were measured: sources, "
            "cubins, libraries of plug-ins, Python. It holds no worker, no torch and no system "
            "library. A note says what a replay cannot do. Sources are as you wrote them: read "
            "them "
            "before you give them away. The same input gives the same bytes.\nExit codes: 0; 2 a "
            "mistake, an unreadable file, or code that is gone or has changed.");
        return Action([flags](const auto&) { return bundle(*flags); });
      }};
}

}  // namespace plumbline
