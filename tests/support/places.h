/// Where the repository and this build of it lie, for tests that use their files.
///
/// Functions of one small library: as definitions for the compiler, the paths would make each test
/// another one to the compiler cache in every clone.
#pragma once

#include <filesystem>

namespace plumbline {

std::filesystem::path source_dir();
std::filesystem::path build_dir();

}  // namespace plumbline
