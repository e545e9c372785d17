/// The hash of a tensor's bytes in a file, for the revision of the cases that use it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

/// The hash of bytes that come in pieces of kPiece, the last one shorter: two contents share it
/// only by a chance of 2^-128.
class TensorHash {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 22;

  void add(std::string_view piece);
  std::string text() const;

 private:
  std::string keys_;  // of the pieces
};

}  // namespace plumbline
