/// The fields of causes in comparison.json (comparison_json.h).
#pragma once

#include "analysis/causes/cause.h"
#include "store/json/describe.h"

namespace plumbline {

template <class Io, Is<AxisCondition> C>
void describe(Io& io, C& condition) {
  io("name", condition.name);
  io("values", condition.values);
  io("is_except", condition.is_except);
  io("low", condition.low);
  io("high", condition.high);
}

template <class Io, Is<CausePart> P>
void describe(Io& io, P& part) {
  io("op", part.op);
  io("backend", part.backend);
  io("region", part.region);
  io("changed", part.changed);
  io("cases", part.cases);
  io("open", part.open);
}

template <class Io, Is<MetricChange> M>
void describe(Io& io, M& change) {
  io("metric", change.metric);
  io("cases", change.cases);
  io("low", change.low);
  io("median", change.median);
  io("high", change.high);
}

template <class Io, Is<RecordedFact> F>
void describe(Io& io, F& fact) {
  io("name", fact.name);
  io("label", fact.label);
  io("unit", fact.unit);
  io("is_of_run", fact.is_of_run);
  io("changed", fact.changed);
  io("same", fact.same);
  io("unknown", fact.unknown);
  io("missing", fact.missing);
  io("before", fact.before);
  io("after", fact.after);
  io("variants", fact.variants);
  io("before_value", fact.before_value);
  io("after_value", fact.after_value);
}

template <class Io, Is<SharedTrait> T>
void describe(Io& io, T& trait) {
  io("kind", trait.kind);
  io("text", trait.text);
  io("changed", trait.changed);
  io("cases", trait.cases);
}

template <class Io, Is<MovedPart> M>
void describe(Io& io, M& part) {
  io("kind", part.kind);
  io("name", part.name);
  io("before_s", part.before_s);
  io("after_s", part.after_s);
}

template <class Io, Is<Cause> C>
void describe(Io& io, C& cause) {
  describe_verdict(io, cause.verdict);
  io("status", cause.status);
  io("measure", cause.measure);
  io("parts", cause.parts);
  io("trait", cause.trait);
  io("cases", cause.cases);
  io("changes", cause.changes);
  io("cost", cause.cost);
  io("unit", cause.unit);
  io("worst_suite", cause.worst_suite);
  io("worst_case", cause.worst_case);
  io("worst_metric", cause.worst_metric);
  io("moved", cause.moved);
  io("facts", cause.facts);
  io("clock_explains", cause.clock_explains);
}

}  // namespace plumbline
