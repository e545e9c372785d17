/// Which cases are slowed down together when a self-check plants slowdowns.
///
/// A few at a time, because a slowdown among many others is easier to find. Only knows positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline {

/// Random groups of about 5 % of the cases each, until `most` cases are in a group. At least one
/// group if there is a case.
std::vector<std::vector<std::size_t>> planting_groups(std::vector<std::size_t> cases,
                                                      std::size_t most, std::uint64_t seed);

}  // namespace plumbline
