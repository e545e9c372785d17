/// A program that pretends to use CUDA: it loads the injected library as the driver does, and tells
/// fake_activities what it launches.
///
/// Words: `launch NAME GRID BLOCK NS COUNT`, `range NAME NS COUNT`, `endless NAME`, `lose N`,
/// `fork` (a child that starts CUDA itself, launches `of_child` and exits), `orphan` (a child of a
/// process that has started CUDA), `exit CODE`, `quit` (_exit, after what was recorded has been
/// written), `kill` (by SIGKILL, likewise), `nothing` (does not start CUDA). Times vary by up to
/// 0.5 % from process to process.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fake_activities.h"

namespace {

void* cupti = nullptr;

template <class Function>
Function* function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(cupti, name));
}

void start_cuda() {
  cupti = dlopen(std::getenv("FAKE_CUPTI"), RTLD_NOW);
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  void* const injected = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
  if (injected != nullptr) reinterpret_cast<int (*)()>(dlsym(injected, "InitializeInjection"))();
}

/// Waits until the recorder has written this last launch.
void wait_until_written() {
  function<decltype(fake_launch)>("fake_launch")("last_of_all", 1, 1, 1000);
  const char* const folder = std::getenv("PLUMBLINE_ATTACH");
  if (folder == nullptr) return;
  while (true)
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      const std::size_t name = text.find("last_of_all");
      if (name != std::string::npos && text.find("\nkernel\t", name) != std::string::npos) return;
    }
}

void run_child(bool starts_cuda) {
  const pid_t child = fork();
  if (child == 0) {
    if (starts_cuda) {
      start_cuda();
      function<decltype(fake_launch)>("fake_launch")("of_child", 8, 32, 5000);
    }
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::mt19937 random(std::random_device{}());
  const double speed = std::uniform_real_distribution(0.9975, 1.0025)(random);
  const auto time_of = [&](const std::string& ns) {
    const double noise = std::uniform_real_distribution(0.99, 1.01)(random);
    return std::int64_t(std::stod(ns) * speed * noise);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "nothing") return 0;
    if (word == "fork" || word == "orphan") run_child(word == "fork");
    if (cupti == nullptr && word != "fork") start_cuda();
    if (word == "launch") {
      for (int n = 0; n < std::stoi(words[i + 5]); ++n)
        function<decltype(fake_launch)>("fake_launch")(
            words[i + 1].c_str(), std::stoi(words[i + 2]), std::stoi(words[i + 3]),
            (n == 0 ? 10 : 1) * time_of(words[i + 4]));
      i += 5;
    } else if (word == "range") {
      for (int n = 0; n < std::stoi(words[i + 3]); ++n)
        function<decltype(fake_range)>("fake_range")(words[i + 1].c_str(), time_of(words[i + 2]));
      i += 3;
    } else if (word == "endless") {
      function<decltype(fake_endless)>("fake_endless")(words[++i].c_str());
    } else if (word == "lose") {
      function<decltype(fake_loss)>("fake_loss")(std::stoull(words[++i]));
    } else if (word == "exit") {
      return std::stoi(words[++i]);
    } else if (word == "quit") {
      wait_until_written();
      _exit(0);
    } else if (word == "kill") {
      wait_until_written();
      raise(SIGKILL);
    }
  }
}
