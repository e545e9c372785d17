/// Runs and comparisons without what names people, machines, places and programs of others.
///
/// Which field is what is redaction.h's. In memory: files are redacted_files.h's. Everything that
/// is redacted together is learned first, so that a host that one file names is hidden in all.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/run/run.h"
#include "store/json/json_fields.h"
#include "store/redacted/placeholders.h"

namespace plumbline {

/// What became of fields that held something.
struct RedactionSummary {
  std::set<std::string> kept, replaced, left_out, unknown;  // unknown ones are left out, too
  /// "environment.host: replaced"
  std::vector<std::string> lines() const;
};

class Redactor {
 public:
  /// `tag`: Placeholders.
  explicit Redactor(std::string tag) : placeholders_(std::move(tag)) {}

  void learn(const Run& run) { redacted(run); }
  void learn_comparison(const Json& comparison) { redacted_comparison(comparison); }

  /// The run with placeholders. Its warnings and its path are left out.
  Run redacted(const Run& run);
  /// The JSON of a comparison. Paths are placeholders.
  Json redacted_comparison(const Json& comparison);

  const std::string& tag() const { return placeholders_.tag(); }
  /// Of all that was redacted so far. Of a field in several runs once.
  const RedactionSummary& summary() const { return summary_; }

 private:
  using Table = std::map<std::string, Redaction, std::less<>>;
  Json walk(const Table& table, const std::string& field, const Json& value,
            const std::string& name);
  Json walk_object(const Table& table, const std::string& field, const Json& value);
  Json leaf(Redaction redaction, const std::string& field, const Json& value,
            const std::string& name);
  std::string text(Redaction redaction, const std::string& field, const std::string& value);
  RunInfo redacted_info(const RunInfo& info);
  void redact_row(ResultRow& row);

  Placeholders placeholders_;
  RedactionSummary summary_;
};

}  // namespace plumbline
