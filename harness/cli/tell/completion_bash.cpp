#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/tell/completion.h"

namespace plumbline {
namespace {

using Kind = CompletedValue::Kind;

/// Walks the words before the cursor; what can stand there next is in the two tables above it.
constexpr const char* kWalk = R"(
_plumbline() {
  local cur=${COMP_WORDS[COMP_CWORD]} at= flag= value= place=0 i word
  local commands flags arguments rest
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    _plumbline_command "$at"
    if [[ $word == -- ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
    elif [[ $value ]]; then
      [[ $word == = ]] || value=
    elif [[ $word == -* ]]; then
      _plumbline_value "$at $word"
    elif [[ " $commands " == *" $word "* ]]; then
      at=${at:+$at }$word
    else
      place=$((place + 1))
    fi
  done
  _plumbline_command "$at"
  if [[ ! $value && $cur == -* ]]; then
    value="words $flags"
  elif [[ ! $value && $commands ]]; then
    value="words $commands"
  elif [[ ! $value ]]; then
    value=${arguments[place]-$rest}
  fi
  COMPREPLY=()
  case $value in
    words\ *) mapfile -t COMPREPLY < <(compgen -W "${value#words }" -- "$cur") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  esac
}
complete -F _plumbline plumbline
)";

/// "file", "words a b": what the function above takes for a value.
std::string in_words(const CompletedValue& value) {
  switch (value.kind) {
    case Kind::words:
      return fmt::format("words {}", fmt::join(value.words, " "));
    case Kind::file:
      return "file";
    case Kind::folder:
      return "folder";
    case Kind::text:
      break;
  }
  return "text";
}

std::string command_row(const CompletedCommand& command) {
  std::vector<std::string> flags, arguments;
  std::string rest;
  for (const CompletedFlag& flag : command.flags)
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
  for (const CompletedArgument& argument : command.arguments) {
    const std::string value = "'" + in_words(argument.value) + "'";
    if (argument.repeats)
      rest = value;
    else
      arguments.push_back(value);
  }
  return fmt::format("    '{}') commands='{}' flags='{}' arguments=({}) rest={} ;;\n", command.path,
                     fmt::join(command.commands, " "), fmt::join(flags, " "),
                     fmt::join(arguments, " "), rest);
}

/// Rows of all flags that take a value, those with the same values in one.
std::string value_rows(const std::vector<CompletedCommand>& commands) {
  std::map<std::string, std::vector<std::string>> flags;
  for (const CompletedCommand& command : commands)
    for (const CompletedFlag& flag : command.flags)
      for (const std::string& name : flag.names)
        if (flag.takes_value)
          flags[in_words(flag.value)].push_back("'" + command.path + " " + name + "'");
  std::string rows;
  for (const auto& [value, names] : flags)
    rows += fmt::format("    {}) value='{}' ;;\n", fmt::join(names, " | "), value);
  return rows;
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string script =
      "# Made by `plumbline completion bash`.\n"
      "_plumbline_command() {\n  case $1 in\n";
  for (const CompletedCommand& command : commands) script += command_row(command);
  script += "  esac\n}\n_plumbline_value() {\n  case $1 in\n" + value_rows(commands);
  return script + "    *) value= ;;\n  esac\n}\n" + kWalk;
}

}  // namespace plumbline
