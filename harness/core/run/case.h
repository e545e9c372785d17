/// A case: one point of a sweep on one backend, and its id, which is its name across commits.
///
/// Knows no YAML (suite/ makes cases from it) and nothing of how a case is measured.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/op/declaration.h"
#include "core/run/policy.h"
#include "core/value.h"

namespace plumbline {

struct Case {
  std::string suite;
  std::string name;      // first part of the id: the op's name, or the suite's `name:`
  std::string op;        // catalogue name, `aten::schema[.overload]`, or the suite's `name:`
  std::string backend;   // libtorch, cudnn, custom
  Params params;         // all parameters, defaults included, nested ones flattened
  std::string id;        // case_id(name, backend, params that differ from their default)
  std::string revision;  // of the problem: an integer from op.cpp, or the declaration's hash
  std::shared_ptr<const Declaration> declaration;  // null for ops of the catalogue
  std::shared_ptr<const Policy> policy;
  std::vector<std::string> tags;
  std::optional<double> threshold;      // slowdown that counts as a regression, as a fraction
  std::map<std::string, double> calls;  // calls in a step of the recorded program, by phase
  std::string excluded;                 // reason of the exclusion that matched, "" = selected
  std::string unsupported;              // why it cannot run anywhere with this build, "" = it can
};

/// A case by suite and id.
struct CaseKey {
  std::string suite, case_id;
  auto operator<=>(const CaseKey&) const = default;
};

/// `name/backend/key=value/…`: keys sorted, values canonical; `/ = , ; | %`, blanks and control
/// characters percent-escaped. `shown` holds only the parameters that belong in the id.
std::string case_id(const std::string& name, const std::string& backend, const Params& shown);

/// The parts of an id: {"", name}, {"", backend}, {key, value}…, unescaped.
std::vector<std::pair<std::string, std::string>> case_id_parts(const std::string& id);

/// FNV-1a, 64 bit: stable across machines, for seeds, revisions and placements. Keys of cached
/// things are cache_key (core/cache_key.h).
std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

/// `stable_hash` as 16 hexadecimal digits.
std::string stable_hash_text(std::string_view text);

/// The text from which the seed of a case's input data is hashed.
std::string problem_text(const Case& c, std::uint64_t run_seed);

/// Seed of a case's input data: equal for all backends, streams and plans of one problem.
std::uint64_t problem_seed(const Case& c, std::uint64_t run_seed);

}  // namespace plumbline
