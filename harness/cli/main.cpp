/// plumbline: connects the commands to the command line and turns mistakes into exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command.h"
#include "core/error.h"
#include "core/expression/expression.h"
#include "core/visible.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/help_text.h"

namespace plumbline {

std::vector<Command> all_commands() {
  const std::pair<std::string_view, std::vector<Command>> groups[] = {
      {"Measure",
       {list_command(), run_command(), check_command(), ab_command(), upgrade_command(),
        capture_command(), attach_command(), profile_command(), calibrate_command(),
        submit_command()}},
      {"Judge",
       {compare_command(), explain_command(), bisect_command(), replay_command(), accept_command(),
        acknowledge_command(), quarantine_command()}},
      {"Look",
       {report_command(), history_command(), variance_command(), devices_command(), fleet_command(),
        site_command(), status_command()}},
      {"Keep",
       {merge_command(), import_command(), export_command(), redact_command(), bundle_command(),
        corpus_command(), gc_command()}},
      {"Tell",
       {doctor_command(), ops_command(), worker_command(), stats_command(), schema_command(),
        completion_command(), version_command()}}};
  std::vector<Command> all;
  for (const auto& [group, commands] : groups)
    for (const Command& command : commands) all.emplace_back(command).group = group;
  return all;
}

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 nothing regressed; 1 a regression, or a case that fails; 2 a mistake in usage "
    "or input, or nothing was selected or measured; 3 could not judge; 130 "
    "interrupted.\nEnvironment: PLUMBLINE_WORKER, PLUMBLINE_CACHE, PLUMBLINE_LOCKS, NO_COLOR.";
constexpr std::size_t kHelpColumn = 34;  // where the texts of flags begin
constexpr std::size_t kHelpWidth = 100;  // where no terminal says another

/// Flags with their values alone: which of them exclude each other, errors say.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::size_t value = name.find("{false}");  // of --no-…
    return value == std::string::npos ? name : name.erase(value, sizeof "{false}" - 1);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const bool has_value = option->get_type_size() != 0 && !option->get_positional();
    const std::string type = has_value ? option->get_type_name() : "";
    return (type.empty() ? "" : " " + type) + (option->get_expected_max() > 1 ? " ..." : "");
  }
};

constexpr std::string_view kCommonGroup = "Every command";

/// Flags that every command has.
struct CommonFlags {
  std::string colour = "auto";
  bool quiet = false, verbose = false;
};

void add_common_flags(CLI::App& app, CommonFlags& flags) {
  app.add_option("--color", flags.colour,
                 "auto (on a terminal, without NO_COLOR), always, never [auto]")
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}))
      ->group(std::string(kCommonGroup));
  CLI::Option* const quiet =
      app.add_flag("-q,--quiet", flags.quiet, "print results and errors only")
          ->group(std::string(kCommonGroup));
  app.add_flag("-v,--verbose", flags.verbose,
               "print which files are read and which programs are started, with times")
      ->excludes(quiet)
      ->group(std::string(kCommonGroup));
  app.set_help_flag("-h,--help", "print this help and exit")->group(std::string(kCommonGroup));
  for (CLI::App* command : app.get_subcommands(nullptr)) add_common_flags(*command, flags);
}

void apply(const CommonFlags& flags) {
  use_colour(flags.colour == "always"  ? ColourUse::always
             : flags.colour == "never" ? ColourUse::never
                                       : ColourUse::automatic);
  set_verbosity(flags.quiet     ? Verbosity::quiet
                : flags.verbose ? Verbosity::verbose
                                : Verbosity::normal);
}

/// A suggestion for a mistyped word: the nearest command or flag.
std::string nearest(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return nearest_name(word.substr(0, word.find('=')), known);
}

/// The innermost command on the command line.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// The words before the command's name: "plumbline worker"; "" for the program itself.
std::string words_before(const CLI::App& command) {
  const CLI::App* const outer = command.get_parent();
  if (outer == nullptr) return "";
  const std::string before = words_before(*outer);
  return before + (before.empty() ? "" : " ") + outer->get_name();
}

std::string help_of(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  std::string text = command.help(words_before(command));
  if (&command != &app) {  // help of the program has them
    const std::size_t begin = text.find(fmt::format("\n{}:\n", kCommonGroup));
    if (begin != std::string::npos) text.erase(begin, text.find("\n\n", begin) - begin);
    text += "Every command has -h, -q, -v and --color: see `plumbline --help`.\n";
  }
  while (text.find("\n\n\n") != std::string::npos) text.erase(text.find("\n\n\n"), 1);
  const std::size_t width = output_width();
  return wrapped_help(text, width > 0 ? width : kHelpWidth, kHelpColumn);
}

/// The positional arguments as usage shows them: "FORMAT RUN".
std::string places_of(const CLI::App& command) {
  std::string places;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) places += (places.empty() ? "" : " ") + option->get_name(true);
  return places;
}

/// The message that an argument or a flag's value is missing, with its description. `message`: the
/// parser's.
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
  } else if (const auto at = message.find(" was given a disallowed flag"); at != message.npos) {
    message = "--" + message.substr(0, at) + " takes no value";
  } else if (has_commands) {
    message = "no command given";
  } else {
    message = missing_in_words(command, message);
  }
  const std::string before = words_before(command);
  say_error(fmt::format("error: {}\n       see `{}{}{} --help`\n", visible(message), before,
                        before.empty() ? "" : " ", command.get_name()));
  return kExitInput;
}

/// An empty value comes from an unset variable of a script and is never intended.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && std::ranges::count(option->results(), "") > 0)
      throw Error(option->get_name() +
                  ": found an empty text, as of a variable that is not set; give it a value or "
                  "leave it out");
}

/// The number of words on the command line that are ours: those before `--` if a command runs a
/// program.
int own_words(int count, char** values) {
  char** const end = std::find(values, values + count, std::string_view("--"));
  const std::vector<Command> commands = all_commands();
  for (char** word = values + 1; word < end; ++word)  // flags may stand before the command
    for (const Command& command : commands)
      if (command.name == *word) return command.runs_program ? int(end - values) : count;
  return count;
}

int run_command_line(int count, char** values) {
  CLI::App app(
      "Plumbline measures GPU deep-learning ops, keeps accepted results as baselines, and says "
      "which op\ngot slower, how sure that is, and why.",
      "plumbline");
  app.require_subcommand(1);
  app.footer(kFooter);
  const auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  formatter->column_width(kHelpColumn);
  for (const auto& [label, shown] : {std::pair{"SUBCOMMAND", "COMMAND"},
                                     {"OPTIONS", "FLAGS"},
                                     {"Positionals", "Arguments"},
                                     {"REQUIRED", ""},
                                     {"TEXT", ""}})
    formatter->label(label, shown);
  app.set_version_flag("--version", "plumbline " PLUMBLINE_VERSION, "print the version and exit");
  std::map<const CLI::App*, Action> actions;
  for (const Command& command : all_commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->group(std::string(command.group));
    actions[sub] = command.configure(*sub);
  }
  CommonFlags common;
  add_common_flags(app, common);
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
  apply(common);
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
