/// Where Plumbline keeps what it can make again: compiled kernels, checkouts, environments.
#pragma once

#include <string>

namespace plumbline {

/// $PLUMBLINE_CACHE, else ~/.cache/plumbline.
std::string cache_folder();

/// The absolute path of a folder in the cache; creates the folder if needed. Throws Error if that
/// fails or the folder is not writable.
std::string made_cache_folder(const std::string& name);

}  // namespace plumbline
