/// What the build of a checkout was made with, so that it is used again only while that holds.
///
/// Reads the environment and looks up compilers; builds nothing.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// One line for each thing that a build depends on: the command and its folder, the variables of
/// the environment (hashes of their values; not those that differ from one shell or CI job to the
/// next, such as PWD), and the compilers on PATH (size and time of their files). Without a command
/// nothing but that.
std::string build_record(const std::string& folder, const std::string& command);

/// The line for the files of the checkout at `root` that are not as in its commit: a build may
/// change some; what differs from that later was edited by somebody.
std::string edits_record(const std::string& root);

/// What differs between two records: "variable CFLAGS", "compiler /usr/bin/g++", "files of its
/// checkout". None where a build with the one record is a build with the other.
std::vector<std::string> differences(const std::string& before, const std::string& now);

}  // namespace plumbline
