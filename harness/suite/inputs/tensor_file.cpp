#include "suite/inputs/tensor_file.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/dtype.h"
#include "core/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using NamedTypes = std::initializer_list<std::pair<std::string_view, DType>>;

/// Of safetensors: the bytes that hold the header's length, and the longest header.
constexpr std::uint64_t kLength = 8, kHeaderMax_bytes = 100'000'000;
constexpr std::uint64_t kMostWhole = std::uint64_t(1) << 62;
constexpr std::string_view kNumpyMagic = "\x93NUMPY", kZipMagic = "PK\x03\x04";
constexpr const char* kHowToSave =
    "; save tensors with plumbline_gpu.save_tensors('x.safetensors', {'x': x}) or "
    "safetensors.torch.save_file, or one with numpy.save('x.npy', x)";

/// An open file and its length.
struct Source {
  std::string path;
  std::uint64_t bytes;
  std::ifstream stream;

  /// Fewer bytes where the file ends.
  std::string read(std::uint64_t offset, std::uint64_t count) {
    std::string text(std::min(count, offset < bytes ? bytes - offset : 0), '\0');
    stream.clear();
    stream.seekg(std::streamoff(offset));
    stream.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(stream.gcount()));
    return text;
  }
};

[[noreturn]] void fail(const Source& source, const std::string& what) {
  throw Error("the file '" + source.path + "' " + what);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::string name_of(std::string_view type, NamedTypes known) {
  for (const auto& [name, dtype] : known)
    if (name == type) return std::string(info(dtype).name);
  return std::string(type);
}

/// A size or a place: an integer from 0 that an int64 holds with room for the header. Throws as
/// Json does for other values.
std::int64_t whole(const Json& value) {
  const auto* const number = value.get_ptr<const Json::number_unsigned_t*>();
  if (number == nullptr || *number > kMostWhole)
    throw Json::type_error::create(302, "a size is an integer from 0", &value);
  return std::int64_t(*number);
}

/// Throws for tensors that end behind the file.
void check_end(const Source& source, const RecordedTensor& tensor) {
  if (!dtype_named(tensor.dtype)) return;
  std::int64_t bytes = info(*dtype_named(tensor.dtype)).bytes;
  for (const std::int64_t size : tensor.shape)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
      fail(source, "declares a tensor with more than 2^63 bytes");
  const std::uint64_t begin = std::uint64_t(tensor.offset);
  if (begin <= source.bytes && std::uint64_t(bytes) <= source.bytes - begin) return;
  fail(source, "is truncated: its tensor" +
                   (tensor.tensor.empty() ? "" : " '" + tensor.tensor + "'") + " has " +
                   std::to_string(bytes) + " bytes from byte " + std::to_string(begin) +
                   " on, the file has " + std::to_string(source.bytes));
}

/// Its first bytes are a number and can look like those of another format.
bool is_safetensors(Source& source) {
  const std::uint64_t length = little_endian(source.read(0, kLength));
  return length >= 2 && length <= kHeaderMax_bytes && source.read(kLength, 1) == "{";
}

std::vector<RecordedTensor> safetensors(Source& source) {
  const std::uint64_t length = little_endian(source.read(0, kLength));
  if (length > source.bytes - kLength)
    fail(source, "is truncated: its header alone has " + std::to_string(length) +
                     " bytes, the file " + std::to_string(source.bytes));
  const Json header = Json::parse(source.read(kLength, length), nullptr, false);
  if (!header.is_object()) fail(source, "has a header that is no JSON, so it is no safetensors");
  std::vector<RecordedTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    try {
      RecordedTensor& tensor = tensors.emplace_back();
      tensor.tensor = name;
      tensor.dtype = name_of(entry.at("dtype").get_ref<const std::string&>(),
                             {{"F64", DType::float64},
                              {"F32", DType::float32},
                              {"F16", DType::float16},
                              {"BF16", DType::bfloat16},
                              {"I64", DType::int64},
                              {"I32", DType::int32},
                              {"I16", DType::int16},
                              {"I8", DType::int8},
                              {"U8", DType::uint8},
                              {"BOOL", DType::boolean},
                              {"F8_E4M3", DType::float8_e4m3fn},
                              {"F8_E5M2", DType::float8_e5m2}});
      for (const Json& size : entry.at("shape")) tensor.shape.push_back(whole(size));
      tensor.offset = std::int64_t(kLength + length) + whole(entry.at("data_offsets").at(0));
    } catch (const Json::exception&) {
      fail(source, "has a header that says nothing of its tensor '" + name +
                       "': expected dtype, shape and data_offsets");
    }
    check_end(source, tensors.back());
  }
  return tensors;
}

/// The text behind `'key':` in the header of a .npy, a literal of Python; "" where it is missing.
std::string_view value_in(std::string_view header, std::string_view key) {
  const auto at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return "";
  header.remove_prefix(std::min(header.size(), header.find(':', at) + 1));
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  return header;
}

/// Of "(3, 4), …" or "()".
std::optional<std::vector<std::int64_t>> sizes_of(std::string_view text) {
  if (!text.starts_with('(')) return {};
  std::vector<std::int64_t> sizes;
  for (text.remove_prefix(1); !text.empty() && text.front() != ')';) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0) return {};
    text.remove_prefix(std::size_t(end - text.data()));
    sizes.push_back(size);
  }
  return text.empty() ? std::nullopt : std::optional(sizes);
}

std::vector<RecordedTensor> npy(Source& source) {
  constexpr std::uint64_t kVersion = 6, kMagic_bytes = 8;
  const bool is_first = source.read(kVersion, 1) == "\x01";
  const std::uint64_t digits = is_first ? 2 : 4;
  const std::uint64_t begin = kMagic_bytes + digits;
  const std::uint64_t length = little_endian(source.read(kMagic_bytes, digits));
  if (length > kHeaderMax_bytes || length > source.bytes - std::min(source.bytes, begin))
    fail(source, "is truncated: it ends within the header of a .npy");
  const std::string header = source.read(begin, length);
  const std::string_view type = value_in(header, "descr");
  const auto sizes = sizes_of(value_in(header, "shape"));
  if (!sizes) fail(source, "has a header that names no shape, so it is no .npy");
  if (!type.starts_with('\''))
    fail(source,
         "holds records of several fields; save one array of numbers" + std::string(kHowToSave));
  const std::string descr(type.substr(1, type.find('\'', 1) - 1));
  if (descr == "|O")
    fail(source,
         "holds Python objects, which run code when they are read; save an array of "
         "numbers" +
             std::string(kHowToSave));
  if (descr.starts_with('>'))
    fail(source,
         "holds big-endian numbers; convert them: "
         "numpy.save('x.npy', x.astype(x.dtype.newbyteorder('<')))");
  if (value_in(header, "fortran_order").starts_with("True"))
    fail(source,
         "is ordered by columns; save it by rows: "
         "numpy.save('x.npy', numpy.ascontiguousarray(x))");
  RecordedTensor tensor;
  tensor.dtype = name_of(descr, {{"<f8", DType::float64},
                                 {"<f4", DType::float32},
                                 {"<f2", DType::float16},
                                 {"<i8", DType::int64},
                                 {"<i4", DType::int32},
                                 {"<i2", DType::int16},
                                 {"|i1", DType::int8},
                                 {"|u1", DType::uint8},
                                 {"|b1", DType::boolean}});
  tensor.shape = *sizes;
  tensor.offset = std::int64_t(begin + length);
  check_end(source, tensor);
  return {tensor};
}

}  // namespace

std::vector<RecordedTensor> tensors_in_file(const std::string& path) {
  std::error_code problem;
  if (!fs::exists(path, problem))
    throw Error("there is no file '" + path + "'" + (problem ? ": " + problem.message() : ""));
  if (!fs::is_regular_file(path, problem)) throw Error("'" + path + "' is no file");
  Source source{path, fs::file_size(path, problem), std::ifstream(path, std::ios::binary)};
  if (problem || !source.stream) fail(source, "cannot be opened");
  const std::string begin = source.read(0, 8);
  if (begin.starts_with(kNumpyMagic)) return npy(source);
  if (is_safetensors(source)) return safetensors(source);
  if (begin.starts_with(kZipMagic))
    fail(source, path.ends_with(".npz")
                     ? "is .npz, several arrays in a zip; save each with numpy.save('x.npy', x)"
                     : "is a zip, as torch.save writes: a pickle in it runs code when it is read, "
                       "so it is not read. Convert it once: "
                       "plumbline_gpu.save_tensors('x.safetensors', {'x': torch.load('x.pt')})");
  if (begin.starts_with('\x80'))
    fail(source, "is a pickle, which runs code when it is read, so it is not read" +
                     std::string(kHowToSave));
  fail(source, "is neither safetensors nor .npy" + std::string(kHowToSave));
}

}  // namespace plumbline
