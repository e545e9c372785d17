#include "suite/graph/graph_types.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/op/graph_operations.h"

namespace plumbline {

GraphTypes::GraphTypes(const std::string& graph) {
  const auto json = nlohmann::json::parse(graph);
  const auto type_in = [](const nlohmann::json& map, const char* key) {
    const auto found = map.find(key);
    return found != map.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                    : std::nullopt;
  };
  if (const auto context = json.find("context"); context != json.end() && context->is_object())
    io_type_ = type_in(*context, "io_data_type");
  const bool has_dtype = std::ranges::any_of(kDTypes, [this](const DTypeInfo& row) {
    const char* name = graph_data_type_of(row.dtype);
    return name && io_type_ == name;
  });
  if (!has_dtype) io_type_.reset();
  for (const auto& [name, tensor] : json.at("tensors").items()) {
    if (tensor.value("is_virtual", false) || tensor.value("is_pass_by_value", false)) continue;
    const auto type = type_in(tensor, "data_type");
    is_complete_ &= type.has_value();
    if (type) types_.insert(*type);
  }
}

std::string GraphTypes::refusal(DType dtype) const {
  const char* known = graph_data_type_of(dtype);
  const std::string name = known ? known : "", of_case = std::string(info(dtype).name);
  const std::string why = "so that dtype=" + of_case + " would measure the same; ";
  if (io_type_ && *io_type_ != name)
    return "the graph's io_data_type is " + *io_type_ + ", " + why +
           "a graph without it takes the case's dtype";
  if (!io_type_ && is_complete_ && !types_.contains(name))
    return "all tensors of the graph name their type, none of them " +
           (name.empty() ? of_case : name) + ", " + why +
           "a tensor without data_type takes the case's dtype";
  return "";
}

}  // namespace plumbline
