/// Records what a checkout was built with: the build is used again only while that stays the same.
///
/// Reads the environment and looks up compilers; builds nothing.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// One line for each thing that a build depends on: the command and its folder; the variables of
/// the environment (hashes of their values, without those that differ between shells or CI jobs,
/// such as PWD); and the compilers on PATH (size and time of their files). Without a command, only
/// the first line.
std::string build_record(const std::string& folder, const std::string& command);

/// The line for files of the checkout at `root` that differ from its commit. A build may change
/// some; a later difference means that somebody edited the checkout.
std::string edits_record(const std::string& root);

/// What differs between two records: "variable CFLAGS", "compiler /usr/bin/g++", "files of its
/// checkout". Empty if both describe the same build.
std::vector<std::string> differences(const std::string& before, const std::string& now);

}  // namespace plumbline
