/// plumbline completion: a script with which a shell completes the command line.
#include "cli/tell/completion.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "cli/command.h"
#include "terminal/choice.h"
#include "terminal/console.h"

namespace plumbline {
namespace {

using Kind = CompletedValue::Kind;

/// Placeholders of flags, and names of arguments, that are no files. Whatever else stands without a
/// flag is a file or a folder.
constexpr std::array<std::string_view, 2> kFolders{"DIR", "FOLDER"};
constexpr std::array<std::string_view, 2> kFiles{"FILE", "PATH"};
constexpr std::array<std::string_view, 3> kNoFiles{"CASE", "OP", "TEST"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

CompletedValue value_of(CLI::Option& option) {
  const bool is_argument = option.get_positional();
  CompletedValue value{.name = is_argument ? option.get_name(true) : option.get_type_name(),
                       .words = allowed_words(option)};
  if (!value.words.empty())
    value.kind = Kind::words;
  else if (is_one_of(kFolders, value.name))
    value.kind = Kind::folder;
  else if (is_one_of(kFiles, value.name) || (is_argument && !is_one_of(kNoFiles, value.name)))
    value.kind = Kind::file;
  return value;
}

bool repeats(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

CompletedFlag flag_of(CLI::Option& option) {
  CompletedFlag flag{.help = option.get_description(),
                     .takes_value = option.get_items_expected_max() > 0,
                     .repeats = repeats(option)};
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  if (flag.takes_value) flag.value = value_of(option);
  return flag;
}

/// Those that help does not repeat for each command are among them.
void add_options(CLI::App& app, CompletedCommand& command) {
  for (CLI::Option* const option : app.get_options({})) {
    if (option->get_positional())
      command.arguments.push_back({value_of(*option), repeats(*option)});
    else
      command.flags.push_back(flag_of(*option));
  }
}

void add_commands(CLI::App& app, const std::string& path, std::vector<CompletedCommand>& commands) {
  const std::size_t at = commands.size();
  commands.push_back({.path = path, .help = app.get_description()});
  add_options(app, commands[at]);
  for (CLI::App* const inner : app.get_subcommands({})) {
    if (inner->get_group().empty()) continue;
    commands[at].commands.push_back(inner->get_name());
    add_commands(*inner, path + (path.empty() ? "" : " ") + inner->get_name(), commands);
  }
}

struct Shell {
  std::string_view name;
  std::string (*script)(const std::vector<CompletedCommand>&);
};
constexpr std::array kShells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                             Shell{"fish", fish_completion}};

}  // namespace

std::vector<CompletedCommand> completed_commands(CLI::App& program) {
  std::vector<CompletedCommand> commands;
  add_commands(program, "", commands);
  return commands;
}

std::string brief(const std::string& help) {
  std::size_t end = help.size();
  for (const char* stop : {": ", "; ", " [", " (", ". "}) end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

Command completion_command() {
  return {"completion", "A script with which bash, zsh or fish completes the command line",
          [](CLI::App& app) {
            auto shell = std::make_shared<std::string>();
            std::vector<std::string> names;
            for (const Shell& known : kShells) names.emplace_back(known.name);
            app.add_option("SHELL", *shell, "bash, zsh or fish")
                ->required()
                ->check(one_of(std::move(names)));
            app.footer(
                "Lines for the shell's own file:\n"
                "  bash  source <(plumbline completion bash)\n"
                "  zsh   source <(plumbline completion zsh)     behind compinit\n"
                "  fish  plumbline completion fish | source\n"
                "Standard output: the script. It knows the commands and flags of this version.\n"
                "Exit codes: 0; 2 an unknown shell.");
            return Action([shell, &app](const auto&) {
              const auto* const known = std::ranges::find(kShells, *shell, &Shell::name);
              print_result(known->script(completed_commands(*app.get_parent())));
              return kExitOk;
            });
          }};
}

}  // namespace plumbline
