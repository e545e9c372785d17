/// The files from which arguments take their values: `file('x.safetensors', 'x')[n]`.
///
/// Finds the tensors, compares them with the expressions, and hashes their bytes, each once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/expression/expression.h"
#include "core/expression/generated_tensor.h"
#include "core/run/case.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

class InputFiles {
 public:
  /// Paths are relative to the folder of the benchmark's suite. `declaration` may be null, and must
  /// outlive it.
  InputFiles(const YamlNode& benchmark, const Declaration* declaration);

  /// The tensor that an expression names. Throws Error "column N: …" where there is none, or one of
  /// another shape or type, or one with NaN that the expression does not allow.
  const RecordedTensor& find(const Expression& at, const GeneratedTensor& wanted);

  /// Names the tensors that the case's arguments use in its declaration, and makes their contents
  /// part of its revision. Throws Error with the place where recordings do not go together.
  void add_to(Case& c);

 private:
  /// A tensor, and what reading its bytes has shown.
  struct Content {
    RecordedTensor tensor;
    bool is_read = false;
    std::int64_t nans = 0, first_nan = 0;  // how many, and the place of the first one
  };
  using Tensors = std::map<std::string, Content>;  // by name

  std::vector<RecordedTensor> all_in(const Params& params);
  Tensors& tensors_of(const std::string& file);
  Content& named(const Expression& at, const GeneratedTensor& wanted);
  static void read(Content& content);

  const YamlPlace& at_;  // of the benchmark
  std::string folder_;
  const Declaration* declaration_;        // null: no argument takes its values from a file
  std::map<std::string, Tensors> files_;  // as expressions name them
  std::map<std::string, std::shared_ptr<const Declaration>> declarations_;  // by tensors
};

}  // namespace plumbline
