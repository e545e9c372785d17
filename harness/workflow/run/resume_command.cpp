#include "workflow/run/resume_command.h"

#include "core/words.h"

namespace plumbline {

std::string resume_command(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--resume") continue;
    const bool is_output = command[i] == "-o" || command[i] == "--output";
    if (is_output) ++i;  // its value
    if (is_output || command[i].starts_with("--output=")) continue;
    words.push_back(command[i]);
  }
  words.insert(words.end(), {"-o", directory, "--resume"});
  return shell_command(words);
}

}  // namespace plumbline
