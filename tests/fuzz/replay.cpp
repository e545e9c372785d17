/// replay FOLDER [COUNT]: gives each target its inputs in FOLDER/<target>/, and COUNT changed ones,
/// always the same: half of them by their grammar, the others by bytes. For compilers without
/// libFuzzer, and for the gate. Also takes one target's folder.
///
/// Ends with the first fault. The input that was being read then is in the file that the first line
/// names.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/mutation/mutation.h"
#include "fuzz/one_input.h"
#include "support/fault_rows.h"

namespace plumbline::fuzz {
namespace {

constexpr double kMostSeconds = 10;  // of the processor, for one small input, with all checks

using Inputs = std::vector<std::string>;

Inputs inputs_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  Inputs inputs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Mutator {
 public:
  Mutator(const Target& target, const Inputs& inputs, unsigned seed)
      : target_(target), inputs_(inputs), random_(seed), dice_(seed) {}

  std::string next() {
    if (dice_.chance(0.5))
      if (auto changed = changed_by_grammar(target_, any(), any(), dice_)) return *changed;
    std::string text = any();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& any() { return inputs_[below(inputs_.size())]; }

  std::string piece_of(const std::string& text) {
    const std::size_t at = below(text.size());
    return text.substr(at, 1 + below(40));
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(40));
        break;
      case 2:
        text.insert(at, piece_of(text));
        break;
      case 3:
        text.insert(at, piece_of(any()));
        break;
      case 4:
        text.resize(at);
        break;
      default: {
        static constexpr const char* kOdd[] = {
            "9223372036854775807", "-1", "1e400", "nan", "\"", "[", "{", "\n", "\xff", "0"};
        text.insert(at, kOdd[below(std::size(kOdd))]);
      }
    }
  }

  const Target& target_;
  const Inputs& inputs_;
  std::mt19937 random_;
  simulation::Dice dice_;
};

class Replay {
 public:
  Replay() {
    std::printf("An input that ends this program stays in %s\n", last_.c_str());
    std::fflush(stdout);
  }
  ~Replay() { std::filesystem::remove(last_); }

  /// Returns the number of inputs that were read and not refused.
  std::size_t run(const Target& target, const Inputs& inputs) {
    return static_cast<std::size_t>(
        std::count_if(inputs.begin(), inputs.end(),
                      [&](const std::string& input) { return run(target, input); }));
  }

 private:
  bool run(const Target& target, const std::string& input) {
    std::ofstream(last_, std::ios::binary) << input;
    const double before = processor_seconds();
    const bool is_good = is_read(target, input);
    demand(processor_seconds() - before < kMostSeconds, "a small input takes seconds at most");
    return is_good;
  }

  std::string last_ =
      std::filesystem::temp_directory_path() / ("plumbline-last-input-" + std::to_string(getpid()));
};

/// Rows of scripts/fault_table: what came back from a reader did no harm.
void hand_over(const Target& target, std::size_t good, std::size_t all) {
  const std::string name = "input of others", moment(target.name);
  const std::string bar = "read, or refused in a sentence";
  const std::size_t refused = all - good;
  if (good > 0) plumbline::hand_over({name, moment, "read", bar, good, good, 0, 0});
  if (refused > 0) plumbline::hand_over({name, moment, "refused", bar, refused, refused, 0, 0});
}

int main_of(const std::filesystem::path& folder, std::size_t count) {
  Replay replay;
  bool is_complete = true;
  for (const Target& target : targets()) {
    const std::filesystem::path own =
        folder.filename() == target.name ? folder : folder / target.name;
    if (!std::filesystem::is_directory(own)) {
      if (folder.filename() == "corpus")
        demand(false, "each target has inputs; missing: " + own.string());
      continue;
    }
    const Inputs inputs = inputs_in(own);
    const std::size_t good = replay.run(target, inputs);
    is_complete &= good > 0;
    Mutator mutator(target, inputs, 1);
    Inputs changed(count);
    for (std::string& input : changed) input = mutator.next();
    const std::size_t good_changed = replay.run(target, changed);
    hand_over(target, good + good_changed, inputs.size() + changed.size());
    std::printf("%-16.*s %4zu inputs, %4zu read; %6zu changed, %6zu read\n",
                static_cast<int>(target.name.size()), target.name.data(), inputs.size(), good,
                changed.size(), good_changed);
    std::fflush(stdout);
  }
  demand(is_complete, "a target reads at least one of its inputs");
  return 0;
}

}  // namespace
}  // namespace plumbline::fuzz

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: replay FOLDER [COUNT]\n");
    return 2;
  }
  return plumbline::fuzz::main_of(words[1], count > 2 ? std::strtoul(words[2], nullptr, 10) : 0);
}
