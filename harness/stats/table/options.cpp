#include "stats/table/options.h"

#include <charconv>

#include "core/error.h"

namespace plumbline {
namespace {

// Names in the order of the enumerators.
constexpr std::string_view kAlternatives[] = {"two_sided", "less", "greater"};
constexpr std::string_view kMethods[] = {"auto", "exact", "asymptotic"};
constexpr std::string_view kCorrections[] = {"none", "hamed_rao", "leading_lags"};

[[noreturn]] void refuse(std::string_view name, const std::string& text, std::string_view allowed) {
  throw Error("--" + std::string(name) + " " + text + ": expected " + std::string(allowed));
}

double share_of(std::string_view name, const std::string& text) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, share);
  if (problem != std::errc() || stop != end || !(share > 0 && share < 1))
    refuse(name, text, "a number above 0 and below 1");
  return share;
}

template <class Choice>
Choice choice_of(std::string_view name, const std::string& text,
                 std::span<const std::string_view> names) {
  std::string allowed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Choice>(i);
    allowed += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  }
  refuse(name, text, allowed);
}

template <class Choice>
Value name_in(std::span<const std::string_view> names, Choice choice) {
  return std::string(names[static_cast<std::size_t>(choice)]);
}

using Options = StatOptions;
using Text = std::string;

constexpr StatOption kOptions[] = {
    {"confidence", "SHARE", "of intervals, which are two-sided whatever the alternative",
     [](Options& o, const Text& text) { o.confidence = share_of("confidence", text); },
     [](const Options& o) -> Value { return o.confidence; }},
    {"alternative", "SIDE", "two_sided, less or greater: the values fall or rise",
     [](Options& o, const Text& text) {
       o.alternative = choice_of<Alternative>("alternative", text, kAlternatives);
     },
     [](const Options& o) { return name_in(kAlternatives, o.alternative); }},
    {"method", "METHOD", "auto (exact where that is affordable), exact or asymptotic",
     [](Options& o, const Text& text) { o.method = choice_of<Method>("method", text, kMethods); },
     [](const Options& o) { return name_in(kMethods, o.method); }},
    {"probability", "SHARE", "of the quantile",
     [](Options& o, const Text& text) { o.probability = share_of("probability", text); },
     [](const Options& o) -> Value { return o.probability; }},
    {"autocorrelation", "RULE",
     "correction of the variance for correlated neighbours: none, hamed_rao or leading_lags",
     [](Options& o, const Text& text) {
       o.autocorrelation = choice_of<Autocorrelation>("autocorrelation", text, kCorrections);
     },
     [](const Options& o) { return name_in(kCorrections, o.autocorrelation); }},
};

}  // namespace

std::span<const StatOption> stat_options() { return kOptions; }

std::string_view name_of(Method method) { return kMethods[static_cast<std::size_t>(method)]; }

}  // namespace plumbline
