#include "device/cuda/kernels_of_launch.h"

#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "core/run/case.h"
#include "core/unknown.h"
#include "core/value.h"

namespace plumbline::cuda {
namespace {

constexpr std::size_t kNameMax = 240;  // for kernels whose template arguments fill pages

double seconds(std::uint64_t ns) { return double(ns) * 1e-9; }

/// Escapes a text for a JSON string.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

/// Without return type and parameters; cut if too long, with a hash of the whole name.
std::string shown_name(const Activity& activity) {
  std::string name = activity.name;
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = name.size(); name.ends_with(')') && i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (depth == 0) name.resize(i);
  }
  if (name.size() <= kNameMax) return name;
  return name.substr(0, kNameMax - 20) + "…#" + stable_hash_text(name);
}

double occupancy(const Activity& activity) {
  cudaDeviceProp properties{};
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess)
    return kUnknown;
  cudaOccDeviceProp limits(properties);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = properties.maxThreadsPerBlock;
  attributes.numRegs = activity.registers;
  attributes.sharedSizeBytes = std::size_t(activity.shared_static);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
  const cudaOccDeviceState state;
  const int threads = activity.block[0] * activity.block[1] * activity.block[2];
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &limits, &attributes, &state, threads,
                                              std::size_t(activity.shared_dynamic)) !=
      CUDA_OCC_SUCCESS)
    return kUnknown;
  const int warps = (threads + properties.warpSize - 1) / properties.warpSize;
  const int most = properties.maxThreadsPerMultiProcessor / properties.warpSize;
  return std::min(1.0, double(result.activeBlocksPerMultiprocessor * warps) / most);
}

bool is_same(const Activity& a, const Activity& b) {
  return a.name == b.name && a.grid == b.grid && a.block == b.block && a.bytes == b.bytes &&
         a.shared_dynamic == b.shared_dynamic && a.graph_node == b.graph_node;
}

std::string triple(const std::array<int, 3>& values) {
  return '[' + std::to_string(values[0]) + ',' + std::to_string(values[1]) + ',' +
         std::to_string(values[2]) + ']';
}

std::string code_text(const Activity& activity, const CodeOf& code_of) {
  if (!code_of) return "";
  const std::string hash =
      code_of({activity.symbol, activity.registers, activity.shared_static, activity.block});
  return hash.empty() ? "" : ",\"code\":\"" + hash + '"';
}

std::string configuration(const Activity& activity, const CodeOf& code_of) {
  if (!activity.is_kernel) return ",\"bytes\":" + std::to_string(activity.bytes);
  const double share = occupancy(activity);
  return ",\"grid\":" + triple(activity.grid) + ",\"block\":" + triple(activity.block) +
         ",\"registers\":" + std::to_string(activity.registers) +
         ",\"local\":" + std::to_string(activity.local_bytes) +
         ",\"shared_static\":" + std::to_string(activity.shared_static) +
         ",\"shared_dynamic\":" + std::to_string(activity.shared_dynamic) + ",\"occupancy\":" +
         (std::isnan(share) ? "null" : shortest_text(std::round(share * 1e4) / 1e4)) +
         code_text(activity, code_of);
}

/// Counted from 1.
std::ptrdiff_t number_of(std::uint64_t node, const std::vector<std::uint64_t>& nodes) {
  return std::ranges::find(nodes, node) - nodes.begin() + 1;
}

}  // namespace

std::string add_launches(const CuptiTracer::Recording& recording, std::size_t expected, int batch,
                         std::vector<double>& sums_s, std::vector<double>& spans_s,
                         std::string& kernels, const CodeOf& code_of) {
  if (!recording.failure.empty()) return recording.failure;
  if (recording.launches.size() != expected)
    return "CUPTI recorded " + std::to_string(recording.launches.size()) + " launches of " +
           std::to_string(expected);
  for (const Activities& launch : recording.launches) {
    if (launch.empty()) return "CUPTI saw no kernel, copy or fill in a launch";
    std::uint64_t sum = 0;
    std::uint64_t end = 0;
    for (const Activity& activity : launch) {
      sum += activity.end_ns - activity.start_ns;
      end = std::max(end, activity.end_ns);
    }
    sums_s.push_back(seconds(sum) / batch);
    spans_s.push_back(seconds(end - launch.front().start_ns) / batch);
  }
  if (kernels.empty() && !recording.launches.empty())
    kernels = describe_activities(recording.launches.front(), batch, code_of);
  return "";
}

std::string describe_activities(const Activities& launch, int batch, const CodeOf& code_of) {
  struct Group {
    const Activity* first;
    int calls = 0;
    std::uint64_t ns = 0;
  };
  std::vector<Group> groups;
  for (const Activity& activity : launch) {
    auto group =
        std::ranges::find_if(groups, [&](const Group& g) { return is_same(*g.first, activity); });
    if (group == groups.end()) group = groups.insert(groups.end(), {&activity});
    ++group->calls;
    group->ns += activity.end_ns - activity.start_ns;
  }
  std::string text;
  std::vector<std::uint64_t> nodes;  // in order of first start
  for (const Group& group : groups) {
    const std::uint64_t node = group.first->graph_node;
    if (node != 0 && std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
    text += text.empty() ? "[" : ",";
    text += "{\"name\":\"" + escaped(shown_name(*group.first)) + '"' +
            configuration(*group.first, code_of) +
            (node == 0 ? "" : ",\"graph_node\":" + std::to_string(number_of(node, nodes))) +
            ",\"calls\":" + shortest_text(double(group.calls) / batch) +
            ",\"time_s\":" + shortest_text(seconds(group.ns) / batch) + '}';
  }
  return text + ']';
}

}  // namespace plumbline::cuda
