#include "analysis/variance/noise_priors.h"

#include <algorithm>

namespace plumbline {
namespace {

using enum Sameness;

constexpr NoisePrior kPriors[]{
    {"cuda", same, 0.0025, 5,
     "An H200: half an hour apart, estimates over 32 placements and 6 processes move by 0.25 % in "
     "the median and 1.1 % at most. Tails: processes fall into modes (a batched gemm of 16 us in "
     "modes 2.5 % apart), and three of a run can all fall into one; taken as normal, one of 891 "
     "cases of three A/A comparisons was called slower."},
    {"cuda", other_state, 0.003, 4, "Not measured: no further apart than two cards, the next row."},
    {"cuda", other_device, 0.003, 4,
     "153 nightly cases, three rounds, each card on another host and hour, 2026-11-24, differences "
     "of two cards, median and 99th percentile: two H100s 0.17 and 1.1 % by gpu_time, 0.16 and "
     "0.8 by kernel_time; two H200s of one kind 0.27 and 1.9, 0.21 and 1.05; of the two kinds 0.72 "
     "and 3.6, 0.57 and 3.5. Their ratio is that of Student's t with 3.3 to 6 degrees of freedom; "
     "a card then strays by 0.16, 0.25 and 0.7 %."},
    {"cuda", other_machine, 0.015, 5,
     "Two hosts with one UUID, which a card cannot have: 8 cases that they measure 1 to 3 % apart "
     "are called changed within the rule's rate (other_device_test.cpp)."},
    {"cpu", same, 0.025, 4,
     "An assumption for unknown machines: processes on shared CPUs differ by 3 to 5 %, which "
     "visits show, and whole runs by about 3 % more between two."},
    {"cpu", other_state, 0.05, 4, "A guess: twice what one boot shows."},
    {"cpu", other_device, 0.05, 4, "A guess: twice what one machine shows."},
    {"cpu", other_machine, 0.05, 4, "A guess: twice what one machine shows."},
};

}  // namespace

std::span<const NoisePrior> noise_priors() { return kPriors; }

const NoisePrior& noise_prior(std::string_view device_kind, Sameness between) {
  const std::string_view kind = device_kind == "cuda" ? "cuda" : "cpu";
  return *std::ranges::find_if(kPriors, [&](const NoisePrior& prior) {
    return prior.device_kind == kind && prior.between == between;
  });
}

}  // namespace plumbline
