#include "stats/options.h"

#include <charconv>
#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

// Names in the order of the enumerators. A method that is no choice is an answer only.
constexpr std::string_view kAlternatives[] = {"two_sided", "less", "greater"};
constexpr std::string_view kMethods[] = {"auto", "exact", "asymptotic", "monte_carlo", "table"};
constexpr std::size_t kMethodChoices = 4;
constexpr std::string_view kCenters[] = {"mean", "median"};
constexpr std::string_view kKinds[] = {"percentile", "bca"};
constexpr std::string_view kCorrections[] = {"none", "hamed_rao", "leading_lags"};

constexpr std::int64_t kMostResamples = 100'000'000;

[[noreturn]] void refuse(std::string_view name, const std::string& text, std::string_view allowed) {
  throw Error("--" + std::string(name) + " " + text + ": expected " + std::string(allowed));
}

/// Throws Error unless all of the text is one number that is allowed.
template <class Number, class Predicate>
Number number_of(std::string_view name, const std::string& text, std::string_view allowed,
                 const Predicate& is_allowed) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !is_allowed(number)) refuse(name, text, allowed);
  return number;
}

double share_of(std::string_view name, const std::string& text) {
  return number_of<double>(name, text, "a number above 0 and below 1",
                           [](double share) { return share > 0 && share < 1; });
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
    {"alternative", "SIDE",
     "two_sided, less or greater: the values lie below or above 0, those of b below or above a's",
     [](Options& o, const Text& text) {
       o.alternative = choice_of<Alternative>("alternative", text, kAlternatives);
     },
     [](const Options& o) { return name_in(kAlternatives, o.alternative); }},
    {"method", "METHOD", "auto (exact where that is affordable), exact, asymptotic or monte_carlo",
     [](Options& o, const Text& text) {
       o.method = choice_of<Method>("method", text, std::span(kMethods).first(kMethodChoices));
     },
     [](const Options& o) { return name_in(kMethods, o.method); }},
    {"probability", "SHARE", "of the quantile",
     [](Options& o, const Text& text) { o.probability = share_of("probability", text); },
     [](const Options& o) -> Value { return o.probability; }},
    {"of", "CENTER", "what is resampled: mean or median",
     [](Options& o, const Text& text) { o.of = choice_of<Center>("of", text, kCenters); },
     [](const Options& o) { return name_in(kCenters, o.of); }},
    {"kind", "KIND", "of bootstrap interval: percentile or bca",
     [](Options& o, const Text& text) { o.kind = choice_of<BootstrapKind>("kind", text, kKinds); },
     [](const Options& o) { return name_in(kKinds, o.kind); }},
    {"autocorrelation", "RULE",
     "what neighbours that are alike do to the variance: none, hamed_rao or leading_lags",
     [](Options& o, const Text& text) {
       o.autocorrelation = choice_of<Autocorrelation>("autocorrelation", text, kCorrections);
     },
     [](const Options& o) { return name_in(kCorrections, o.autocorrelation); }},
    {"bandwidth", "WIDTH", "of the kernel, in the unit of the values; 0: Silverman's rule of thumb",
     [](Options& o, const Text& text) {
       o.bandwidth =
           number_of<double>("bandwidth", text, "0, or a number above it",
                             [](double width) { return width >= 0 && std::isfinite(width); });
     },
     [](const Options& o) -> Value { return o.bandwidth; }},
    {"resamples", "N", "how many random ones are drawn",
     [](Options& o, const Text& text) {
       o.resamples = number_of<std::int64_t>(
           "resamples", text, "an integer from 2 to " + std::to_string(kMostResamples),
           [](std::int64_t count) { return count >= 2 && count <= kMostResamples; });
     },
     [](const Options& o) -> Value { return o.resamples; }},
    {"seed", "N", "of what is random: the same on every machine",
     [](Options& o, const Text& text) {
       o.seed = number_of<std::int64_t>("seed", text, "an integer from 0 to 2^63 - 1",
                                        [](std::int64_t seed) { return seed >= 0; });
     },
     [](const Options& o) -> Value { return o.seed; }},
};

}  // namespace

std::span<const StatOption> stat_options() { return kOptions; }

std::string_view name_of(Method method) { return kMethods[static_cast<std::size_t>(method)]; }

}  // namespace plumbline
