/// Kinds of devices within a class: groups that lie apart in a family, such as two makes of one
/// model. They are clusters, and none of their devices is an outlier for its kind.
///
/// Pure numbers: deviations of devices by family.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline {

struct DeviceKinds {
  std::vector<std::size_t> kind;  // of each device; 0 is the largest
  std::size_t count = 1;
  std::size_t family = 0;  // in which the first two lie furthest apart; 0 for a single kind
};

/// Splits where a gap between neighbours is wider than all but `rate` of fleets of one kind show
/// (gap.h), and half a percent. Each side needs a tenth of the devices, three of them, and
/// three hosts that it fills: a kind is bought by the node, and slow cards among others, or on one
/// or two nodes, are none. `values`: by device, then by family (the first, all of them together, is
/// not used); NaN is unknown. `hosts`: of each device, "" for unknown. A class of fewer than eight
/// devices has one kind.
DeviceKinds kinds_of(const std::vector<std::vector<double>>& values,
                     const std::vector<std::string>& hosts, double rate);

}  // namespace plumbline
