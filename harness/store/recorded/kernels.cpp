#include "store/recorded/kernels.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

using Json = nlohmann::json;

double number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : kUnknown;
}

std::array<std::int64_t, 3> extent(const Json& object, const char* key) {
  std::array<std::int64_t, 3> sizes{};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return sizes;
  for (std::size_t i = 0; i < std::min(found->size(), sizes.size()); ++i)
    if ((*found)[i].is_number_integer()) sizes[i] = (*found)[i].get<std::int64_t>();
  return sizes;
}

KernelRecord record_of(const Json& json) {
  KernelRecord record;
  if (const auto name = json.find("name"); name != json.end() && name->is_string())
    record.name = name->get<std::string>();
  record.grid = extent(json, "grid");
  record.block = extent(json, "block");
  record.registers = number(json, "registers");
  record.local_bytes = number(json, "local");
  record.shared_static = number(json, "shared_static");
  record.shared_dynamic = number(json, "shared_dynamic");
  record.occupancy = number(json, "occupancy");
  record.bytes = number(json, "bytes");
  record.calls = number(json, "calls");
  record.time_s = number(json, "time_s");
  if (const auto code = json.find("code"); code != json.end() && code->is_string())
    record.code = code->get<std::string>();
  return record;
}

}  // namespace

std::vector<KernelRecord> kernels_of(std::string_view text) {
  std::vector<KernelRecord> records;
  if (text.empty()) return records;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array() || !std::ranges::all_of(json, [](const Json& j) { return j.is_object(); })) {
    records.emplace_back().name = text;
    return records;
  }
  for (const Json& item : json) records.push_back(record_of(item));
  return records;
}

}  // namespace plumbline
