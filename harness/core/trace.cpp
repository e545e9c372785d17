#include "core/trace.h"

#include <utility>

namespace plumbline {
namespace {

std::function<void(const std::string&)>& listener() {
  static std::function<void(const std::string&)> current;
  return current;
}

}  // namespace

void set_trace(std::function<void(const std::string&)> heard) { listener() = std::move(heard); }

void trace(const std::function<std::string()>& text) {
  if (listener()) listener()(text());
}

}  // namespace plumbline
