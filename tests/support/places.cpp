#include "support/places.h"

namespace plumbline {

std::filesystem::path source_dir() { return PLUMBLINE_SOURCE_DIR; }
std::filesystem::path build_dir() { return PLUMBLINE_BINARY_DIR; }

}  // namespace plumbline
