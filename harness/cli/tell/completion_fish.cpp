#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/tell/completion.h"
#include "core/words.h"

namespace plumbline {
namespace {

using Kind = CompletedValue::Kind;

/// Whether the words before the cursor name this command and none of its own.
constexpr const char* kAt = R"(function __plumbline_at
    set -l at
    for word in (commandline -opc)[2..]
        set -l next (string trim "$at $word")
        contains -- $next $__plumbline_commands; and set at $next
    end
    test "$at" = "$argv"
end
complete -c plumbline -f
complete -c plumbline -n 'contains -- -- (commandline -opc)' -F
)";

std::string quoted(const std::string& text) { return shell_command({text}); }

/// What completes a value; a flag `requires` one.
std::string action_of(const CompletedValue& value) {
  switch (value.kind) {
    case Kind::words:
      return " -a " + quoted(fmt::format("{}", fmt::join(value.words, " ")));
    case Kind::file:
      return " -F";
    case Kind::folder:
      return " -a '(__fish_complete_directories)'";
    case Kind::text:
      break;
  }
  return "";
}

std::string line_of(const std::string& path, const std::string& rest) {
  return fmt::format("complete -c plumbline -n {}{}\n", quoted("__plumbline_at " + path), rest);
}

std::string flag_line(const std::string& path, const CompletedFlag& flag) {
  std::string rest;
  for (const std::string& name : flag.names)
    rest += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (flag.takes_value) rest += flag.value.kind == Kind::file ? " -r" : " -x";
  if (flag.takes_value) rest += action_of(flag.value);
  return line_of(path, rest + " -d " + quoted(brief(flag.help)));
}

}  // namespace

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string script = "# Made by `plumbline completion fish`.\nset -g __plumbline_commands";
  for (const CompletedCommand& command : commands)
    if (!command.path.empty()) script += " " + quoted(command.path);
  script += std::string("\n") + kAt;
  for (const CompletedCommand& command : commands) {
    for (const CompletedFlag& flag : command.flags) script += flag_line(command.path, flag);
    for (const CompletedArgument& argument : command.arguments)
      if (argument.value.kind != Kind::text)
        script += line_of(command.path, action_of(argument.value));
    if (command.path.empty()) continue;
    const std::size_t name = command.path.rfind(' ') + 1;  // 0 where the program is around it
    const std::string around = name == 0 ? "" : command.path.substr(0, name - 1);
    script +=
        line_of(around, " -a " + quoted(command.path.substr(name)) + " -d " + quoted(command.help));
  }
  return script;
}

}  // namespace plumbline
