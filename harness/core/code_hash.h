/// Whether two visits of a case ran the same code of a suite.
///
/// Knows hashes and declarations; files are read by those who open them.
#pragma once

#include <span>
#include <string>

#include "core/case.h"
#include "core/file_ref.h"

namespace plumbline {

/// Hash of what computes the case, of the suite's own: the contents and names of `files`, wherever
/// they lie, and what the suite declares of the code. "" where there are no files: the suite brings
/// no code, or the worker is of before they were recorded.
std::string code_hash(const Case& c, std::span<const FileRef> files);

}  // namespace plumbline
