/// plumbline corpus: recorded nights of unchanged code, on which rules for verdicts are scored.
#include "workflow/corpus/corpus.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "core/words.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct CorpusFlags {
  CorpusRequest request;
  std::string unpack;
  bool json = false;
};

std::string as_json(const CorpusRequest& request, const CorpusOutcome& outcome) {
  return json_text(Json{{"corpus", request.output},
                        {"nights", outcome.nights},
                        {"cases", outcome.cases},
                        {"samples", outcome.samples},
                        {"planted", outcome.planted},
                        {"bytes", outcome.bytes}});
}

int unpack(const CorpusFlags& flags) {
  if (!flags.request.runs.empty())
    throw Error("--unpack: reads a corpus, and runs were named too; leave them out");
  for (const std::string& night : unpack_corpus(flags.unpack, flags.request.output))
    print_result(night + "\n");
  return kExitOk;
}

int corpus(const CorpusFlags& flags) {
  if (!flags.unpack.empty()) return unpack(flags);
  ConsoleTalk talk;
  const CorpusOutcome outcome = write_corpus(flags.request, talk);
  if (flags.json) {
    print_result(as_json(flags.request, outcome));
    return kExitOk;
  }
  for (const auto& [device, nights] : outcome.nights)
    say(fmt::format("{}: {}\n", device.empty() ? "unknown device" : device,
                    counted(nights, "night")));
  say(fmt::format("{} with {}, {} planted, {:.3g} MB\n", counted(outcome.cases, "case"),
                  counted(outcome.samples, "sample"), counted(outcome.planted, "slowdown"),
                  double(outcome.bytes) / 1e6));
  print_result(flags.request.output + "\n");
  return kExitOk;
}

}  // namespace

Command corpus_command() {
  return {
      "corpus", "Keep nights of unchanged code, on which rules for verdicts are scored",
      [](CLI::App& app) {
        auto flags = std::make_shared<CorpusFlags>();
        app.add_option("RUN", flags->request.runs,
                       "finished run directories of unchanged code: one suite, the same flags, in "
                       "any order");
        app.add_option("-o,--output", flags->request.output, "a new or empty folder")
            ->required()
            ->type_name("DIR");
        app.add_option("--plant", flags->request.planted,
                       "slowdowns to plant, of 1, 2, 3, 5 and 10 % in turn, each in a history of "
                       "its own [50]")
            ->type_name("N");
        app.add_option("--seed", flags->request.seed,
                       "seed of the nights and cases that are drawn for them [1]")
            ->type_name("N");
        app.add_option("--unpack", flags->unpack,
                       "write the nights of a corpus as run directories into -o; nothing is "
                       "planted in them")
            ->type_name("DIR");
        app.add_flag("--json", flags->json, "print what was written as JSON");
        app.footer(
            "nights.tar.zst holds the runs in the order of their starts, redacted as by `redact`; "
            "planted.csv says which case is slower from which night on, and by which factor. "
            "Nothing is planted in the samples: readers multiply them. The same runs and seed "
            "give the same bytes. scripts/score_corpus scores rules on it.\nStandard output: the "
            "corpus; with --unpack, the run directories.\nExit codes: 0; 2 a mistake, or runs "
            "that are no nights of one measurement.");
        return Action([flags](const auto&) { return corpus(*flags); });
      }};
}

}  // namespace plumbline
