/// Flags that name a file for a text, and where that text goes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// A flag that takes a file, or "-" for standard output.
CLI::Option* add_text_file(CLI::App& app, const char* name, std::string& path,
                           const std::string& help);

bool is_standard_output(std::string_view path);

/// Writes the text into the file, whole or not at all, or on standard output. Throws Error.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace plumbline
