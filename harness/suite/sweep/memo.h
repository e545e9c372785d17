/// Answers that depend on some of the axes of a sweep only.
///
/// Knows positions on axes, not what is asked.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace plumbline {

/// A question that is asked once for each combination of the values of its axes, however many
/// cases share it.
class Memo {
 public:
  /// `lengths` of all axes, of which `axes` are indices.
  Memo(std::vector<std::size_t> axes, const std::vector<std::size_t>& lengths)
      : axes_(std::move(axes)) {
    std::size_t combinations = 1;
    for (const std::size_t axis : axes_) {
      strides_.push_back(combinations);
      combinations *= lengths[axis];
    }
    answers_.assign(combinations, kUnasked);
  }

  template <class Question>
  bool ask(const std::vector<std::size_t>& position, const Question& question) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) index += strides_[i] * position[axes_[i]];
    if (answers_[index] == kUnasked) answers_[index] = question() ? kYes : kNo;
    return answers_[index] == kYes;
  }

  const std::vector<std::size_t>& axes() const { return axes_; }

 private:
  static constexpr char kUnasked = 0, kYes = 1, kNo = 2;
  std::vector<std::size_t> axes_, strides_;
  std::vector<char> answers_;
};

}  // namespace plumbline
