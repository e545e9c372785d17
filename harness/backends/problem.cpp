#include "backends/problem.h"

#include <stdexcept>

namespace plumbline {

const Value& Problem::at(std::string_view name) const {
  const auto found = case_.params.find(name);
  if (found == case_.params.end())
    throw std::logic_error("op " + case_.op + " has no parameter '" + std::string(name) + "'");
  return found->second;
}

std::int64_t Problem::integer(std::string_view name) const {
  return std::get<std::int64_t>(at(name));
}

double Problem::number(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  return std::get<double>(value);
}

bool Problem::flag(std::string_view name) const { return std::get<bool>(at(name)); }

const std::string& Problem::text(std::string_view name) const {
  return std::get<std::string>(at(name));
}

DType Problem::dtype() const { return dtype_named(text("dtype")).value(); }

}  // namespace plumbline
