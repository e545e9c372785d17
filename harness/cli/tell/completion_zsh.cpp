#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/tell/completion.h"
#include "core/words.h"

namespace plumbline {
namespace {

using Kind = CompletedValue::Kind;

/// With a backslash before what ends a part of a specification of _arguments or _describe.
std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

std::string quoted(const std::string& text) { return shell_command({text}); }

/// The name of a command's function: "_plumbline_worker_build".
std::string function_of(const std::string& path) {
  std::string name = "_plumbline" + (path.empty() ? "" : "_" + path);
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// ":DIR:_files -/": what stands there and how it is completed.
std::string action_of(const CompletedValue& value) {
  const std::string name = ":" + escaped(value.name) + ":";
  switch (value.kind) {
    case Kind::words:
      return fmt::format("{}({})", name, fmt::join(value.words, " "));
    case Kind::file:
      return name + "_files";
    case Kind::folder:
      return name + "_files -/";
    case Kind::text:
      break;
  }
  return name + " ";
}

std::string flag_lines(const CompletedFlag& flag) {
  const std::string others = flag.repeats ? "*" : fmt::format("({})", fmt::join(flag.names, " "));
  std::string lines;
  for (const std::string& name : flag.names) {
    const char* const joint = !flag.takes_value ? "" : name.starts_with("--") ? "=" : "+";
    const std::string action = flag.takes_value ? action_of(flag.value) : "";
    lines += fmt::format(" \\\n    {}", quoted(others + name + joint + "[" +
                                               escaped(brief(flag.help)) + "]" + action));
  }
  return lines;
}

std::string argument_line(const CompletedArgument& argument, std::size_t place) {
  const std::string where = argument.repeats ? "*" : std::to_string(place);
  return fmt::format(" \\\n    {}", quoted(where + action_of(argument.value)));
}

/// The part of a function that goes on with the command that was named.
std::string choice_of(const CompletedCommand& command,
                      const std::vector<CompletedCommand>& commands) {
  const std::string before = command.path + (command.path.empty() ? "" : " ");
  std::string described, cases;
  for (const std::string& name : command.commands) {
    const auto inner = std::ranges::find(commands, before + name, &CompletedCommand::path);
    described += "\n        " + quoted(name + ":" + escaped(inner->help));
    cases += fmt::format("        {}) {} ;;\n", name, function_of(inner->path));
  }
  return fmt::format(
      "  case $state in\n    command)\n      local -a commands=({})\n"
      "      _describe -t commands command commands ;;\n"
      "    rest)\n      case $words[1] in\n{}      esac ;;\n  esac\n",
      described, cases);
}

std::string function_for(const CompletedCommand& command,
                         const std::vector<CompletedCommand>& commands) {
  const bool has_commands = !command.commands.empty();
  std::string text = function_of(command.path) + "() {\n";
  if (command.path.empty())
    text += "  (( $words[(I)--] && $words[(I)--] < CURRENT )) && _files && return\n";
  if (has_commands) text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  text += has_commands ? "  _arguments -C -s -S" : "  _arguments -s -S";
  for (const CompletedFlag& flag : command.flags) text += flag_lines(flag);
  for (std::size_t i = 0; i < command.arguments.size(); ++i)
    text += argument_line(command.arguments[i], i + 1);
  if (has_commands) text += " \\\n    '1: :->command' \\\n    '*:: :->rest'\n";
  return text + (has_commands ? choice_of(command, commands) : "\n") + "}\n\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string script = "#compdef plumbline\n# Made by `plumbline completion zsh`.\n\n";
  for (const CompletedCommand& command : commands) script += function_for(command, commands);
  // Read by `source`, or from a file of $fpath, whose name is that of the function.
  return script +
         "if [[ $funcstack[1] == _plumbline ]]; then\n  _plumbline \"$@\"\nelse\n"
         "  compdef _plumbline plumbline\nfi\n";
}

}  // namespace plumbline
