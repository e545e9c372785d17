#include "backends/kernel/architecture.h"

#include <array>
#include <charconv>
#include <utility>

namespace plumbline {
namespace {

int major_of(const Architecture& architecture) { return architecture.number / 10; }

bool is_as_new(const Architecture& target, const Architecture& here) {
  return here.number >= target.number;
}

bool is_in_family(const Architecture& target, const Architecture& here) {
  return major_of(here) == major_of(target) && is_as_new(target, here);
}

std::string misfit(const Architecture& target, const Architecture& here, bool runs,
                   const char* range) {
  if (runs) return "";
  return "is for " + name_of(target) + range + ", not for " + name_of(here);
}

}  // namespace

std::optional<Architecture> architecture_named(std::string_view name) {
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    Architecture found;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), found.number);
    const std::string_view rest(read.ptr, name.data() + name.size());
    if (read.ec != std::errc() || rest.size() > 1) return std::nullopt;
    if (!rest.empty()) found.suffix = rest[0];
    if (found.suffix != 0 && found.suffix != 'a' && found.suffix != 'f') return std::nullopt;
    return found;
  }
  return std::nullopt;
}

std::string name_of(const Architecture& architecture) {
  const std::string name = "sm_" + std::to_string(architecture.number);
  return architecture.suffix == 0 ? name : name + architecture.suffix;
}

std::optional<Architecture> target_in_ptx(std::string_view ptx) {
  constexpr std::string_view kTarget = "\n.target ";
  const auto at = ptx.find(kTarget);
  if (at == ptx.npos) return std::nullopt;
  ptx.remove_prefix(at + kTarget.size());
  return architecture_named(ptx.substr(0, ptx.find_first_of(" \t\r\n,")));
}

std::string ptx_misfit(const Architecture& target, const Architecture& here) {
  if (target.suffix == 'a') return misfit(target, here, here.number == target.number, " alone");
  if (target.suffix == 'f')
    return misfit(target, here, is_in_family(target, here), " and its family");
  return misfit(target, here, is_as_new(target, here), " and later");
}

std::string machine_code_misfit(const Architecture& target, const Architecture& here) {
  if (target.suffix == 'a') return misfit(target, here, here.number == target.number, " alone");
  return misfit(target, here, is_in_family(target, here), " and later ones of its major number");
}

std::int64_t shared_bytes_of(const Architecture& architecture) {
  constexpr std::int64_t kLargest = 227;  // of 9.0, 10.x, 11.0; assumed for newer ones
  constexpr std::array<std::pair<int, std::int64_t>, 9> kSmaller{{{75, 64},
                                                                  {80, 163},
                                                                  {86, 99},
                                                                  {87, 163},
                                                                  {88, 99},
                                                                  {89, 99},
                                                                  {120, 99},
                                                                  {121, 99},
                                                                  {70, 96}}};
  for (const auto& [number, kibibytes] : kSmaller)
    if (architecture.number == number) return kibibytes * 1024;
  return kLargest * 1024;
}

}  // namespace plumbline
