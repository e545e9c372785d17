/// Makes cases of the catalogue's ops from one line of text.
#pragma once

#include <sstream>
#include <string>

#include "core/run/case.h"
#include "ops/catalogue.h"

namespace plumbline {

inline Value value_of(ParamKind kind, const std::string& text) {
  if (kind == ParamKind::boolean) return text == "true";
  if (kind == ParamKind::integer) return std::int64_t{std::stoll(text)};
  if (kind == ParamKind::number) return std::stod(text);
  return text;
}

/// "softmax rows=3 cols=4 dtype=float32" as a case for LibTorch.
inline Case case_of(const std::string& text) {
  static const Catalogue kCatalogue = make_catalogue();
  std::istringstream words(text);
  Case result;
  words >> result.op;
  result.backend = "libtorch";
  std::vector<ParamSpec> specs = find_op(kCatalogue, result.op)->spec.params;
  specs.insert(specs.end(), common_params().begin(), common_params().end());
  for (const ParamSpec& spec : specs)
    if (spec.fallback) result.params[spec.name] = *spec.fallback;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    for (const ParamSpec& spec : specs)
      if (spec.name == word.substr(0, equals))
        result.params[spec.name] = value_of(spec.kind, word.substr(equals + 1));
  }
  return result;
}

}  // namespace plumbline
