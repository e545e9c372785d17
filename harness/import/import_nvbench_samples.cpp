#include "import/import_nvbench_samples.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numeric>

#include "core/error.h"
#include "core/value.h"
#include "import/import_visits.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSampleBytes = 4;
/// Rounding to float32 moves a sample by at most 6e-8 of it.
constexpr double kMeanTolerance = 1e-5;

/// NVBench records a path below the JSON's folder; older versions one from where they ran.
fs::path beside_json(const NvbenchSidecar& sidecar) {
  const fs::path written(sidecar.written);
  const fs::path name = written.filename(), folder = written.parent_path().filename();
  for (const fs::path& part : {name, folder})
    if (part == ".." || part == "." || (part.empty() && part == name))
      throw Error(
          fmt::format("{}: found the file name {}, expected one as NVBench writes it, such "
                      "as result.json-bin/0.bin",
                      sidecar.place, shown(sidecar.written)));
  return fs::path(sidecar.json).parent_path() / folder / name;
}

double sample_at(std::string_view bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kSampleBytes; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return std::bit_cast<float>(word);
}

}  // namespace

NvbenchSamples nvbench_samples(const NvbenchSidecar& sidecar) {
  if (sidecar.written.empty()) return {{}, "NVBench could not write them"};
  const std::string path = beside_json(sidecar).string();
  if (!fs::exists(path)) return {{}, path + " does not exist"};
  const std::string bytes = read_text(path);
  if (bytes.size() % kSampleBytes != 0 || bytes.size() / kSampleBytes != sidecar.count)
    throw Error(fmt::format("{}: found {} bytes, expected {} samples of {} bytes, as {} says", path,
                            bytes.size(), sidecar.count, kSampleBytes, sidecar.place));
  NvbenchSamples samples;
  for (std::size_t i = 0; i < sidecar.count; ++i) {
    const double value = sample_at(std::string_view(bytes).substr(i * kSampleBytes, kSampleBytes));
    if (const std::string_view expected = sample_mistake(value, "s"); !expected.empty())
      throw Error(fmt::format("{}: sample {} is {}, expected {}", path, i + 1, shortest_text(value),
                              expected));
    samples.times_s.push_back(value);
  }
  if (samples.times_s.empty()) return {{}, path + " is empty"};
  const double mean = std::accumulate(samples.times_s.begin(), samples.times_s.end(), 0.0) /
                      static_cast<double>(sidecar.count);
  if (std::isfinite(sidecar.mean) && std::abs(mean - sidecar.mean) > kMeanTolerance * sidecar.mean)
    throw Error(
        fmt::format("{}: found samples with the mean {} s, expected {} s, as {} says; they "
                    "are of another run of the program",
                    path, shortest_text(mean), shortest_text(sidecar.mean), sidecar.place));
  return samples;
}

}  // namespace plumbline
