#include "workflow/bundle/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/words.h"

namespace plumbline {
namespace {

struct Use {
  std::string_view end, words;
  bool is_code;
};

constexpr std::array kUses{
    Use{".cu", "compiled and run", true},
    Use{".cuh", "included in what is compiled", true},
    Use{".h", "included in what is compiled", true},
    Use{".hpp", "included in what is compiled", true},
    Use{".ptx", "compiled and run", true},
    Use{".cubin", "machine code, run", true},
    Use{".so", "a library, loaded and run", true},
    Use{".py", "a program in Python, run", true},
    Use{".pt", "a network, loaded and run", true},
    Use{".pt2", "a network, loaded and run", true},
    Use{".safetensors", "read", false},
    Use{".npy", "read", false},
    Use{".csv", "read", false},
    Use{".json", "read", false},
    Use{".yaml", "read", false},
    Use{".yml", "read", false},
};

const Use* use_by_name(const std::string& path) {
  const auto found =
      std::ranges::find_if(kUses, [&](const Use& use) { return path.ends_with(use.end); });
  if (found != kUses.end()) return &*found;
  const std::string name = path.substr(path.rfind('/') + 1);
  // libours.so.1
  return name.find(".so.") == std::string::npos
             ? nullptr
             : std::ranges::find(kUses, std::string_view(".so"), &Use::end);
}

bool is_suite(const BundledSide& side, const std::string& path) {
  return std::ranges::count(side.suites, path) > 0;
}

std::string absent_text(const BundledSide& side, char name) {
  std::string text;
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < side.absent.size() && i < kMost; ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", side.absent[i].path, side.absent[i].why);
  if (side.absent.size() > kMost) text += fmt::format(" and {} more", side.absent.size() - kMost);
  return fmt::format("side {} also read {}, which the bundle does not hold: {}", name,
                     counted(side.absent.size(), "file"), text);
}

bool have_same_files(const BundledSide& a, const BundledSide& b) {
  const auto same = [&](const BundledSource& source) {
    const auto other = std::ranges::find(b.sources, source.path, &BundledSource::path);
    return other != b.sources.end() && other->hash == source.hash;
  };
  return a.sources.size() == b.sources.size() && std::ranges::all_of(a.sources, same);
}

}  // namespace

std::string_view use_of(const BundledSide& side, const std::string& path) {
  if (is_suite(side, path))
    return path.ends_with(".py") ? "a suite, run to be read" : "a suite, read";
  const Use* const use = use_by_name(path);
  return use == nullptr ? "read, or loaded by code" : use->words;
}

bool is_code(const BundledSide& side, const std::string& path) {
  const Use* const use = use_by_name(path);
  if (is_suite(side, path)) return path.ends_with(".py");
  return use == nullptr || use->is_code;
}

bool are_sides_alike(const Bundle& bundle) {
  const auto& [a, b] = bundle.sides;
  const bool differ_by_worker =
      !a.worker_hash.empty() && !b.worker_hash.empty() && a.worker_hash != b.worker_hash;
  return !differ_by_worker && have_same_files(a, b) && a.variables == b.variables &&
         !a.hides_variables && !b.hides_variables;
}

std::vector<std::string> limits_of_replay(const Bundle& bundle) {
  const auto& [a, b] = bundle.sides;
  std::vector<std::string> limits;
  for (const std::size_t i : {0, 1}) {
    const BundledSide& side = bundle.sides[i];
    const char name = "ab"[i];
    if (side.suites.empty())
      limits.push_back(fmt::format(
          "side {} has no suite in the bundle, so that it cannot be measured again", name));
    if (!side.absent.empty()) limits.push_back(absent_text(side, name));
    if (side.hides_variables)
      limits.push_back(fmt::format(
          "side {0} had variables of its own (--{0}-env), which a redacted bundle does not tell: "
          "replay needs them",
          name));
  }
  if (!a.worker_hash.empty() && !b.worker_hash.empty() && a.worker_hash != b.worker_hash)
    limits.push_back(
        fmt::format("the sides had different workers ({} and {}), and a bundle holds no worker: "
                    "replay needs both (--a-worker, --b-worker)",
                    a.worker_hash, b.worker_hash));
  else if (are_sides_alike(bundle))
    limits.push_back(
        "both sides have the same files, worker and variables in the bundle: what made the "
        "difference is not in it, as in runs of two machines, drivers or days");
  return limits;
}

}  // namespace plumbline
