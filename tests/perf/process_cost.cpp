#include "perf/process_cost.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>

#include "core/error.h"

namespace plumbline {
namespace {

/// CPU seconds that the whole machine has spent since it started, including those that its host
/// took from it (proc(5), /proc/stat).
double machine_cpu_s() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> stolen;
  return (user + nice + system + irq + softirq + stolen) / double(::sysconf(_SC_CLK_TCK));
}

double seconds(const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); }

}  // namespace

ProcessCost cost_of(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  const double machine_before_s = machine_cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0], &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw Error("cannot start " + argv[0]);
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  ProcessCost cost;
  cost.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.peak_memory_bytes = 1024.0 * double(usage.ru_maxrss);
  cost.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const double others_s = machine_cpu_s() - machine_before_s - cost.cpu_s;
  const double available_s = cost.wall_s * double(::sysconf(_SC_NPROCESSORS_ONLN));
  cost.others_share = std::max(0.0, others_s / available_s);
  return cost;
}

void apart(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw Error("cannot fork");
  if (pid == 0) {
    try {
      work();
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (status != 0) throw Error("what was to be prepared could not be; see above");
}

}  // namespace plumbline
