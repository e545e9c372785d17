/// The keys of a mapping file and their meaning. The reader refuses other keys; the JSON Schema
/// lists these.
#pragma once

#include <array>

#include "core/run/import_mapping.h"
#include "suite/yaml/reader.h"

namespace plumbline {

inline constexpr std::array kMappingKeys = std::to_array<YamlKey>({
    {"suite", "name of the suite that the results belong to"},
    {"source", "where the data are from, in words"},
    {"op", "what was computed"},
    {"backend", "who computed it"},
    {"device", "the device class; --device says it for the whole file"},
    {"revision", "of the problem; default: 1"},
    {"params", "parameter of the case: its value; an empty one is left out"},
    {"metrics", "metric: its column and unit"},
    {"cost", "flops and bytes of one launch, expressions over the columns"},
    {"where", "condition over the columns; rows that do not fit are left out and counted"},
    {"environment", "entry of run.json's environment: its value; each set of values is a run"},
    {"tables", "a name: the column that it is of, and what that column's values mean"},
    {"repeats", "what several rows of one case are: samples of one visit, or visits"},
});

inline constexpr std::array kMappedMetricKeys = std::to_array<YamlKey>({
    {"column", "that holds it"},
    {"unit", "of the column"},
    {"separator", "between samples in one field"},
    {"better", "more or less; needed for verdicts on what is no time, bytes or energy"},
});

inline constexpr std::array kValueTableKeys = std::to_array<YamlKey>({
    {"of", "the column"},
    {"is", "value of the column: what it means"},
});

inline constexpr std::array kMappedCostKeys = std::to_array<YamlKey>({
    {"flops", "floating-point operations of one launch"},
    {"bytes", "bytes that one launch must move"},
});

/// Possible values of `repeats`.
struct RepeatsKey {
  std::string_view name;
  Repeats value;
  std::string_view doc;
};

inline constexpr std::array kRepeats = std::to_array<RepeatsKey>({
    {"samples", Repeats::samples, "further values of one visit"},
    {"visits", Repeats::visits, "measured in processes of their own"},
});

}  // namespace plumbline
