#include "backends/nvrtc/compile_cache.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "backends/files.h"
#include "backends/nvrtc/included_files.h"
#include "core/cache_key.h"

namespace plumbline::nvrtc {
namespace {

constexpr std::string_view kFirstLine = "plumbline-kernel 2\n";

/// A text with its length before it, so that joined pieces stay distinct.
std::string piece(const std::string& text) { return std::to_string(text.size()) + '\n' + text; }

std::optional<std::string> take_piece(std::string_view& text) {
  std::size_t size = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
  if (read.ec != std::errc() || read.ptr == text.data() + text.size() || *read.ptr != '\n')
    return std::nullopt;
  text.remove_prefix(std::size_t(read.ptr - text.data()) + 1);
  if (text.size() < size) return std::nullopt;
  std::string taken(text.substr(0, size));
  text.remove_prefix(size);
  return taken;
}

/// Folders in the job's own options, in order; CUDA's folders follow from NVRTC's version.
std::vector<std::string> own_folders(const Compiler& compiler, const Job& job) {
  std::vector<std::string> folders;
  for (const std::string& option : job.options)
    for (const std::string_view flag : {"-I", "--include-path="})
      if (option.starts_with(flag)) folders.push_back(option.substr(flag.size()));
  for (const std::string& folder : compiler.toolkit_folders()) std::erase(folders, folder);
  return folders;
}

std::string file_text(const Compiled& compiled) {
  const std::string body = piece(compiled.symbol) + piece(compiled.ptx) + piece(compiled.image);
  return std::string(kFirstLine) + cache_key(body) + '\n' + body;
}

std::optional<Compiled> parsed(const std::string& text) {
  std::string_view rest = text;
  constexpr std::size_t kHashSize = 33;  // with its newline
  if (!rest.starts_with(kFirstLine)) return std::nullopt;
  rest.remove_prefix(kFirstLine.size());
  if (rest.size() < kHashSize ||
      rest.substr(0, kHashSize) != cache_key(rest.substr(kHashSize)) + '\n')
    return std::nullopt;
  rest.remove_prefix(kHashSize);
  auto symbol = take_piece(rest);
  auto ptx = take_piece(rest);
  auto image = take_piece(rest);
  if (!symbol || !ptx || !image || !rest.empty()) return std::nullopt;
  return Compiled{std::move(*symbol), std::move(*ptx), std::move(*image)};
}

}  // namespace

std::optional<std::vector<std::string>> includes_of(const Compiler& compiler, const Job& job) {
  // Options that read files without an #include: forced includes, precompiled headers.
  const auto is_forced = [](const std::string& option) {
    return option.starts_with("-include") || option.starts_with("--pre-include") ||
           option.find("pch") != std::string::npos;
  };
  if (std::ranges::any_of(job.options, is_forced)) return std::nullopt;
  return included_files(job.path, job.text, own_folders(compiler, job));
}

std::string cache_path(const Compiler& compiler, const Job& job, const std::string& folder) {
  const auto included = includes_of(compiler, job);
  if (!included) return "";
  std::string key = piece(compiler.version()) + piece(compiler.build()) + piece(job.path) +
                    piece(job.text) + piece(job.kernel);
  for (const std::string& option : job.options) key += piece(option);
  for (const std::string& path : *included) key += piece(path) + piece(read_file(path));
  return folder + "/" + cache_key(key) + ".kernel";
}

Compiled compile_cached(const Compiler& compiler, const Job& job, const std::string& folder) {
  const std::string path = folder.empty() ? "" : cache_path(compiler, job, folder);
  if (path.empty()) return compiler.compile(job);
  if (auto kept = parsed(read_file(path))) return std::move(*kept);
  Compiled compiled = compiler.compile(job);
  // If the file cannot be written, the next process compiles again.
  if (make_folder(folder)) write_whole(path, file_text(compiled));
  return compiled;
}

}  // namespace plumbline::nvrtc
