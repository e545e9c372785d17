/// The kinds of Workload, from which make_workload() chooses. `seed` is the problem's.
#pragma once

#include "worker/workloads/workload.h"

namespace plumbline {

std::unique_ptr<Workload> catalogue_workload(const Case& subject, Device& device, bool is_cuda,
                                             std::uint64_t seed);
/// An operator of the dispatcher.
std::unique_ptr<Workload> declared_workload(const Case& subject, Device& device, bool is_cuda,
                                            std::uint64_t seed);

/// A graph of cuDNN's operations.
std::unique_ptr<Workload> graph_workload(const Case& subject, Device& device, bool is_cuda,
                                         std::uint64_t seed);

/// A kernel or a plug-in.
std::unique_ptr<Workload> custom_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed);

/// A network in a file.
std::unique_ptr<Workload> saved_network_workload(const Case& subject, Device& device, bool is_cuda,
                                                 std::uint64_t seed);

/// A function or a network in Python.
std::unique_ptr<Workload> python_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed);

}  // namespace plumbline
