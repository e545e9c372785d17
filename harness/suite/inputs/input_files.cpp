#include "suite/inputs/input_files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/dtype.h"
#include "core/error.h"
#include "core/op/tensor_hash.h"
#include "core/value.h"
#include "suite/inputs/tensor_file.h"
#include "suite/yaml/file_limits.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Reading more would take minutes.
constexpr std::int64_t kMost_bytes = std::int64_t{64} << 30;

[[noreturn]] void fail(const Expression& at, const std::string& what) {
  throw Error("column " + std::to_string(at.column) + ": " + what);
}

std::string in_words(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string quoted(const RecordedTensor& tensor) {
  return tensor.tensor.empty() ? "the file '" + tensor.file + "'"
                               : "the tensor '" + tensor.tensor + "' of '" + tensor.file + "'";
}

/// Whether the bits are those of a NaN in a type with that exponent and mantissa.
template <class Bits>
bool is_nan(const char* at, Bits exponent, Bits mantissa) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  return (bits & exponent) == exponent && (bits & mantissa) != 0;
}

bool is_nan(const char* at, DType dtype) {
  switch (dtype) {
    case DType::float64:
      return is_nan<std::uint64_t>(at, 0x7ff0000000000000, 0x000fffffffffffff);
    case DType::float32:
      return is_nan<std::uint32_t>(at, 0x7f800000, 0x007fffff);
    case DType::float16:
      return is_nan<std::uint16_t>(at, 0x7c00, 0x03ff);
    case DType::bfloat16:
      return is_nan<std::uint16_t>(at, 0x7f80, 0x007f);
    case DType::float8_e4m3fn:
      return (*at & 0x7f) == 0x7f;
    case DType::float8_e5m2:
      return is_nan<std::uint8_t>(at, 0x7c, 0x03);
    default:
      return false;
  }
}

/// "[0, 5]": the index of an element.
std::string index_in_words(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return in_words(index);
}

void collect(const Expression& e, const Params& params,
             std::vector<std::pair<const Expression*, GeneratedTensor>>& found) {
  if (e.kind == Expression::Kind::conditional)
    return collect(*e.operands[evaluate_condition(*e.operands[0], params) ? 1 : 2], params, found);
  if (e.kind == Expression::Kind::index) {
    GeneratedTensor tensor = generated_tensor(e, params);
    if (tensor.generator == Generator::file) found.emplace_back(&e, std::move(tensor));
    return;
  }
  for (const ExpressionPtr& operand : e.operands) collect(*operand, params, found);
  for (const auto& [keyword, value] : e.keywords) collect(*value, params, found);
}

bool is_given(const Argument& argument) {
  return argument.role == Argument::Role::input || argument.role == Argument::Role::inout;
}

bool names_file(const Expression& e) {
  if (e.kind == Expression::Kind::index && e.operands[0]->kind == Expression::Kind::call &&
      e.operands[0]->operands[0]->name == "file")
    return true;
  const auto holds = [](const auto& part) { return names_file(*part); };
  return std::ranges::any_of(e.operands, holds) ||
         std::ranges::any_of(e.keywords, [](const auto& k) { return names_file(*k.second); });
}

/// The revision of a case: that of its declaration, and what its files hold.
std::string with_contents(const std::string& revision,
                          const std::vector<RecordedTensor>& recorded) {
  std::string text = revision;
  for (const RecordedTensor& tensor : recorded) {
    text += '\n' + tensor.dtype;
    for (const std::int64_t size : tensor.shape) text += ' ' + std::to_string(size);
    text += ' ' + tensor.hash;
  }
  return stable_hash_text(text);
}

}  // namespace

InputFiles::Tensors& InputFiles::tensors_of(const std::string& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  const std::string path = (fs::path(folder_) / file).string();
  if (const std::string mistake = naming_mistake(*at_.file, path); !mistake.empty())
    throw Error("found file('" + file + "'): " + mistake);
  Tensors tensors;
  for (RecordedTensor& tensor : tensors_in_file(path)) {
    tensor.file = file;
    tensor.path = fs::absolute(path).lexically_normal().string();
    const std::string name = tensor.tensor;
    tensors[name].tensor = std::move(tensor);
  }
  return files_[file] = std::move(tensors);
}

namespace {

/// Hashes the bytes and calls look(piece, offset) for each piece.
template <class Look>
std::string hash_of(const RecordedTensor& tensor, const Look& look) {
  std::ifstream stream(tensor.path, std::ios::binary);
  stream.seekg(tensor.offset);
  TensorHash hash;
  std::string piece;
  const std::int64_t bytes = bytes_in(tensor);
  for (std::int64_t at = 0; at < bytes; at += std::int64_t(piece.size())) {
    piece.resize(std::size_t(std::min(std::int64_t(TensorHash::kPiece), bytes - at)));
    if (!stream.read(piece.data(), std::streamsize(piece.size())))
      throw Error(quoted(tensor) + " cannot be read to its end");
    hash.add(piece);
    look(piece, at);
  }
  return hash.text();
}

}  // namespace

namespace {

/// Throws for another type or shape than the expression declares.
void check(const Expression& at, const RecordedTensor& tensor, const GeneratedTensor& wanted) {
  const auto dtype = dtype_named(tensor.dtype);
  if (!dtype) {
    std::string known;
    for (const DTypeInfo& row : kDTypes)
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    fail(at, quoted(tensor) + " holds " + tensor.dtype + "; a suite takes " + known);
  }
  if (*dtype != wanted.dtype)
    fail(at, quoted(tensor) + " holds " + tensor.dtype + ", the expression declares " +
                 std::string(info(wanted.dtype).name) + "; write dtype=\"" + tensor.dtype +
                 "\", or convert the file");
  if (samples_in(tensor, wanted.shape) == 0)
    fail(at, quoted(tensor) + " has the shape " + in_words(tensor.shape) +
                 ", the expression declares " + in_words(wanted.shape) +
                 "; one more dimension in front counts recordings");
  if (bytes_in(tensor) > kMost_bytes)
    fail(at, quoted(tensor) + " has " + std::to_string(bytes_in(tensor)) +
                 " bytes; allowed: " + std::to_string(kMost_bytes));
}

}  // namespace

/// Reads the bytes once.
void InputFiles::read(Content& content) {
  if (content.is_read) return;
  const DType dtype = *dtype_named(content.tensor.dtype);
  const auto size = std::size_t(info(dtype).bytes);
  content.tensor.hash = hash_of(content.tensor, [&](const std::string& piece, std::int64_t offset) {
    if (!is_floating(dtype)) return;
    for (std::size_t at = 0; at < piece.size(); at += size)
      if (is_nan(piece.data() + at, dtype) && content.nans++ == 0)
        content.first_nan = (offset + std::int64_t(at)) / std::int64_t(size);
  });
  content.is_read = true;
}

/// The tensor of that name. Throws with the names that there are.
InputFiles::Content& InputFiles::named(const Expression& at, const GeneratedTensor& wanted) {
  Tensors& tensors = tensors_of(wanted.file);
  if (const auto found = tensors.find(wanted.tensor); found != tensors.end()) return found->second;
  const std::string of_file = "'" + wanted.file + "'";
  if (tensors.size() == 1 && tensors.contains(""))
    fail(at, "the file " + of_file + " holds one array without a name: file(" + of_file + ")");
  constexpr std::size_t kShown = 24;
  std::vector<std::string> names;
  std::string known;
  for (const auto& [name, content] : tensors) {
    if (names.size() < kShown) known += (known.empty() ? "" : ", ") + name;
    names.push_back(name);
  }
  if (names.size() > kShown) known += ", … (" + std::to_string(names.size()) + " in all)";
  if (wanted.tensor.empty())
    fail(at, "found file(" + of_file + ") without the name of a tensor; it holds: " + known);
  const std::string near = nearest_name(wanted.tensor, names);
  fail(at, "the file " + of_file + " has no tensor '" + wanted.tensor + "'" +
               (near.empty() ? "; it holds: " + known : "; did you mean '" + near + "'?"));
}

const RecordedTensor& InputFiles::find(const Expression& at, const GeneratedTensor& wanted) {
  try {
    Content& content = named(at, wanted);
    check(at, content.tensor, wanted);
    read(content);
    if (content.nans > 0 && !wanted.may_have_nan)
      fail(at, quoted(content.tensor) + " holds " + std::to_string(content.nans) +
                   " NaN, the first at " + index_in_words(content.first_nan, content.tensor.shape) +
                   "; if they belong to the data, say so: nan=true");
    return content.tensor;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("column ")) throw;
    fail(at, error.what());
  }
}

InputFiles::InputFiles(const YamlNode& benchmark, const Declaration* declaration)
    : at_(benchmark.at), folder_(fs::path(benchmark.at.file->path).parent_path().string()) {
  const bool names_files =
      declaration != nullptr &&
      std::ranges::any_of(declaration->args, [](const Argument& argument) {
        return is_given(argument) && names_file(*parse_expression(argument.expression));
      });
  declaration_ = names_files ? declaration : nullptr;
}

std::vector<RecordedTensor> InputFiles::all_in(const Params& params) {
  std::vector<RecordedTensor> all;
  std::vector<std::pair<const RecordedTensor*, std::int64_t>> several;  // with their recordings
  std::vector<std::pair<const Expression*, GeneratedTensor>> found;
  std::vector<ExpressionPtr> held;
  for (const Argument& argument : declaration_->args)
    if (is_given(argument))
      collect(*held.emplace_back(parse_expression(argument.expression)), params, found);
  for (const auto& [at, wanted] : found) {
    const RecordedTensor& tensor = find(*at, wanted);
    if (std::ranges::find(all, tensor) == all.end()) all.push_back(tensor);
    if (const std::int64_t count = samples_in(tensor, wanted.shape); count > 1)
      several.emplace_back(&tensor, count);
  }
  for (const auto& [tensor, count] : several)
    if (count != several.front().second)
      throw Error(quoted(*tensor) + " holds " + std::to_string(count) + " recordings, " +
                  quoted(*several.front().first) + " " + std::to_string(several.front().second) +
                  "; a launch takes the same recording of each, so they must have as many");
  return all;
}

void InputFiles::add_to(Case& c) {
  if (declaration_ == nullptr) return;
  try {
    const std::vector<RecordedTensor> recorded = all_in(c.params);
    c.revision = with_contents(c.revision, recorded);
    std::string names;  // equal contents may have several
    for (const RecordedTensor& tensor : recorded)
      names += tensor.file + '\n' + tensor.tensor + '\n';
    auto& declaration = declarations_[names];
    if (!declaration) {
      auto own = std::make_shared<Declaration>(*declaration_);
      own->recorded = recorded;
      declaration = std::move(own);
    }
    c.declaration = declaration;
  } catch (const Error& error) {
    fail_at(at_, std::string(error.what()) + " (in the case " + c.id + ")");
  }
}

}  // namespace plumbline
