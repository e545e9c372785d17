#include "backends/kernel/limits.h"

namespace plumbline {
namespace {

std::string beyond(const char* what, const std::array<std::int64_t, 3>& found,
                   const std::array<std::int64_t, 3>& most, const std::string& who_takes) {
  for (std::size_t i = 0; i < 3; ++i)
    if (found.at(i) > most.at(i))
      return std::string("the ") + what + " is " + std::to_string(found.at(i)) + " in " + "xyz"[i] +
             ", " + who_takes + ' ' + std::to_string(most.at(i));
  return "";
}

/// A cluster's blocks run together, and a grid consists of whole clusters.
std::string beyond_cluster(const LaunchShape& shape, const LaunchLimits& limits) {
  if (shape.blocks_of_cluster() == 1) return "";
  if (shape.blocks_of_cluster() > limits.cluster_blocks)
    return "the cluster has " + std::to_string(shape.blocks_of_cluster()) + " blocks, " +
           limits.who_takes + ' ' + std::to_string(limits.cluster_blocks);
  for (std::size_t i = 0; i < 3; ++i)
    if (shape.grid.at(i) % shape.cluster.at(i) != 0)
      return "the grid is " + std::to_string(shape.grid.at(i)) + " in " + "xyz"[i] +
             ", which is no multiple of the cluster's " + std::to_string(shape.cluster.at(i));
  return "";
}

}  // namespace

std::string beyond_limits(const LaunchShape& shape, const LaunchLimits& limits) {
  const std::string& who_takes = limits.who_takes;
  if (std::string grid = beyond("grid", shape.grid, limits.grid, who_takes); !grid.empty())
    return grid;
  if (std::string block = beyond("block", shape.block, limits.block, who_takes); !block.empty())
    return block;
  if (std::string cluster = beyond_cluster(shape, limits); !cluster.empty()) return cluster;
  const std::int64_t threads = shape.threads();
  if (threads > limits.device_threads)
    return "the block has " + std::to_string(threads) + " threads, " + who_takes + ' ' +
           std::to_string(limits.device_threads);
  if (threads > limits.kernel_threads)
    return "the block has " + std::to_string(threads) + " threads, this kernel takes " +
           std::to_string(limits.kernel_threads) + ": it has " + std::to_string(limits.registers) +
           " registers a thread, or bounds of its own";
  const std::int64_t shared = shape.shared_bytes + limits.static_shared_bytes;
  if (shared > limits.shared_bytes)
    return "the block has " + std::to_string(shared) + " bytes of shared memory (" +
           std::to_string(limits.static_shared_bytes) + " static), " + who_takes + ' ' +
           std::to_string(limits.shared_bytes);
  if (shape.is_cooperative && limits.blocks_at_once > 0 && shape.blocks() > limits.blocks_at_once)
    return "the grid has " + std::to_string(shape.blocks()) +
           " blocks, of which a cooperative launch runs all at the same time; " + who_takes + ' ' +
           std::to_string(limits.blocks_at_once) + " of this kernel's";
  return "";
}

}  // namespace plumbline
