#include "workflow/run/foreground.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"

namespace plumbline {

ProcessEnd run_in_foreground(std::vector<std::string> words, bool has_input) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t usual;
  posix_spawnattr_init(&usual);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : {SIGINT, SIGQUIT}) sigaddset(&interrupts, signal);
  posix_spawnattr_setsigdefault(&usual, &interrupts);
  posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!has_input)
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, /*mode=*/0);
  for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, SIG_IGN);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &files, &usual, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&usual);
  if (error != 0) throw Error("cannot start '" + words[0] + "': " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status)};
}

}  // namespace plumbline
