/// plumbline: wires the commands to the command line and turns mistakes into exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command.h"
#include "core/error.h"
#include "core/expression/expression.h"
#include "core/visible.h"
#include "terminal/console.h"

namespace plumbline {

std::vector<Command> all_commands() {
  return {list_command(),     run_command(),     capture_command(),     profile_command(),
          compare_command(),  check_command(),   ab_command(),          history_command(),
          variance_command(), devices_command(), report_command(),      site_command(),
          explain_command(),  import_command(),  export_command(),      redact_command(),
          gc_command(),       accept_command(),  acknowledge_command(), quarantine_command(),
          doctor_command(),   worker_command(),  ops_command(),         calibrate_command(),
          stats_command(),    schema_command(),  version_command()};
}

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 nothing regressed; 1 a regression, or a case that fails; 2 a mistake in usage "
    "or input,\nor nothing was selected or measured; 3 could not judge; 130 "
    "interrupted.\nEnvironment: PLUMBLINE_WORKER, PLUMBLINE_CACHE, PLUMBLINE_LOCKS, NO_COLOR.";

/// What a command line may have meant: the nearest command or flag.
std::string nearest(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return nearest_name(word.substr(0, word.find('=')), known);
}

/// The innermost command that was named.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// The words before its own name: "plumbline worker"; "" for the program itself.
std::string words_before(const CLI::App& command) {
  const CLI::App* const outer = command.get_parent();
  if (outer == nullptr) return "";
  const std::string before = words_before(*outer);
  return before + (before.empty() ? "" : " ") + outer->get_name();
}

std::string help_of(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  std::string text = command.help(words_before(command));
  while (text.find("\n\n\n") != std::string::npos) text.erase(text.find("\n\n\n"), 1);
  return text;
}

/// The arguments that stand without a flag, as usage shows them: "FORMAT RUN".
std::string places_of(const CLI::App& command) {
  std::string places;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) places += (places.empty() ? "" : " ") + option->get_name(true);
  return places;
}

/// That an argument, or the value of a flag, is missing, and what it is. `message`: the parser's.
std::string missing_in_words(const CLI::App& command, const std::string& message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name(option->get_positional());
    if (message == name + " is required") return message + ": " + option->get_description();
    if (message.starts_with(name + ": ") && message.ends_with(" missing"))
      return name + " lacks its value: " + option->get_description();
  }
  return message;
}

int report_usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const bool has_commands = !command.get_subcommands(nullptr).empty();
  std::string message = error.what();
  const auto left = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) && !left.empty();
  if (is_extra || (has_commands && !left.empty())) {
    const std::string& word = left.front();
    const std::string near = nearest(command, word);
    const bool is_one_too_many = !has_commands && !word.starts_with('-');
    message =
        is_one_too_many
            ? fmt::format("argument '{}' is one too many; {} takes {}", word, command.get_name(),
                          places_of(command).empty() ? "none" : places_of(command))
            : fmt::format("{} '{}' is not known{}", word.starts_with('-') ? "flag" : "command",
                          word, near.empty() ? "" : "; did you mean '" + near + "'?");
  } else if (has_commands) {
    message = "no command given";
  } else {
    message = missing_in_words(command, message);
  }
  const std::string before = words_before(command);
  say(fmt::format("error: {}\n       see `{}{}{} --help`\n", visible(message), before,
                  before.empty() ? "" : " ", command.get_name()));
  return kExitInput;
}

/// An empty text is a variable of a script that was not set, never what was meant.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && std::ranges::count(option->results(), "") > 0)
      throw Error(option->get_name() +
                  ": found an empty text, as of a variable that is not set; give it a value or "
                  "leave it out");
}

/// How many words of the command line are ours: those before `--` where a command runs a program.
int own_words(int count, char** values) {
  const auto is_named = [&](const Command& command) {
    return count > 1 && command.runs_program && command.name == values[1];
  };
  if (std::ranges::none_of(all_commands(), is_named)) return count;
  return int(std::find(values, values + count, std::string_view("--")) - values);
}

int run_command_line(int count, char** values) {
  CLI::App app(
      "Plumbline measures GPU deep-learning ops, keeps accepted results as baselines, and says "
      "which op\ngot slower, how sure that is, and why.",
      "plumbline");
  app.require_subcommand(1);
  app.footer(kFooter);
  const auto formatter = app.get_formatter();
  formatter->column_width(34);
  for (const auto& [label, shown] : {std::pair{"SUBCOMMAND", "COMMAND"},
                                     {"OPTIONS", "FLAGS"},
                                     {"Positionals", "Arguments"},
                                     {"REQUIRED", ""},
                                     {"TEXT", ""}})
    std::static_pointer_cast<CLI::Formatter>(formatter)->label(label, shown);
  app.set_version_flag("--version", "plumbline " PLUMBLINE_VERSION);
  std::map<const CLI::App*, Action> actions;
  for (const Command& command : all_commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->group("Commands");
    actions[sub] = command.configure(*sub);
  }
  try {
    app.parse(own_words(count, values), values);
  } catch (const CLI::CallForHelp&) {
    print_result(help_of(app));
    return kExitOk;
  } catch (const CLI::CallForVersion& version) {
    print_result(std::string(version.what()) + "\n");
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return report_usage_error(app, error);
  }
  refuse_empty_values(innermost(app));
  std::vector<std::string> command{"plumbline"};
  command.insert(command.end(), values + 1, values + count);
  return actions.at(app.get_subcommands().front())(command);
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  using namespace plumbline;
  return run_program("plumbline", [&] { return run_command_line(count, values); });
}
