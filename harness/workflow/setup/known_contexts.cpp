#include "workflow/setup/known_contexts.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/value.h"
#include "workflow/setup/cache_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

double kept_chain_s(const std::string& path) {
  double seconds = 0;
  const bool is_number = bool(std::ifstream(path) >> seconds);
  const bool is_time = is_number && std::isfinite(seconds) && seconds > 0;
  return is_time ? seconds : std::numeric_limits<double>::infinity();
}

/// Short enough to be written at once, so that two commands never mix theirs.
void keep_chain(const std::string& path, double seconds) {
  std::error_code unwritable;  // then the file below does not open either
  fs::create_directories(fs::path(path).parent_path(), unwritable);
  std::ofstream(path) << shortest_text(seconds) << '\n';
}

}  // namespace

std::shared_ptr<FastestChain> fastest_chain_of(const Environment& device) {
  if (device.device_kind != "cuda") return std::make_shared<FastestChain>();
  const std::string path =
      cache_folder() + "/contexts/" + device.device_uuid() + "-" + device.driver;
  return std::make_shared<FastestChain>(kept_chain_s(path),
                                        [path](double seconds) { keep_chain(path, seconds); });
}

}  // namespace plumbline
