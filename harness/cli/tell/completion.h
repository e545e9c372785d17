/// Scripts with which a shell completes the command line.
///
/// They come from the parser itself, so that they know what it knows. Knows no command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumbline {

/// What can stand in a place of the command line.
struct CompletedValue {
  enum class Kind { text, words, file, folder };
  Kind kind = Kind::text;
  std::string name;                  // as help shows it: "DIR"
  std::vector<std::string> words{};  // those that can stand there, for Kind::words
};

struct CompletedFlag {
  std::vector<std::string> names{};  // "-o", "--output"
  std::string help;
  bool takes_value = false, repeats = false;
  CompletedValue value{};
};

struct CompletedArgument {
  CompletedValue value{};
  bool repeats = false;
};

/// A command, or the program itself.
struct CompletedCommand {
  std::string path;  // words behind the program's name: "worker build"; "" for the program
  std::string help;
  std::vector<CompletedFlag> flags{};
  std::vector<CompletedArgument> arguments{};
  std::vector<std::string> commands{};  // names of its own
};

/// The program and all its commands, each before its own.
std::vector<CompletedCommand> completed_commands(CLI::App& program);

/// A help text up to its first explanation: what fits beside a word in a list.
std::string brief(const std::string& help);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace plumbline
