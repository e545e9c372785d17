#include "store/run/sanitizer_json.h"

#include "store/json/describe.h"

namespace plumbline {

template <class Io>
void describe(Io& io, const SanitizerFinding& finding) {
  io("kind", finding.kind);
  io("kernel", finding.kernel);
  io("location", finding.location);
  io("thread", finding.thread);
  io("block", finding.block);
  io("address", finding.address);
  io("count", finding.count);
  io("text", finding.text);
}

template <class Io>
void describe(Io& io, const CheckedCase& checked) {
  io("suite", checked.suite);
  io("case", checked.case_id);
  io("status", std::string(name_of(checked.status)));
  io("reason", checked.reason);
  io("errors", checked.report.errors);
  io("findings", checked.report.findings);
  io("notes", checked.report.notes);
}

template <class Io>
void describe(Io& io, const SanitizerRun& run) {
  io("format", 1);
  io("plumbline", run.plumbline);
  io("tool", run.tool);
  io("tool_version", run.tool_version);
  io("command", run.command);
  io("started_at", run.started_at);
  io("environment", run.environment);
  io("cases", run.cases);
}

std::string sanitizer_json(const SanitizerRun& run) { return json_text(JsonWriter::encode(run)); }

}  // namespace plumbline
