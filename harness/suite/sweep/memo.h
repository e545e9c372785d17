/// Remembers answers that depend on only some axes of a sweep.
///
/// Knows positions on axes, not the question.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace plumbline {

/// A question that is asked once for each combination of values of its axes, however many cases
/// share that combination.
class Memo {
 public:
  /// `lengths` are those of all axes; `axes` are indices into them.
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
