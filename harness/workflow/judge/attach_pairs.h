/// Runs two programs in turn under the recorder of launches and judges them by pairs: `attach --a`.
#pragma once

#include <string>

#include "workflow/judge/ab.h"
#include "workflow/run/attach.h"

namespace plumbline {

/// A pair is four runs of programs: a b b a, the next b a a b. `request.program` is side b; its
/// output holds the runs a and b, and comparison.json. A program that fails ends the pairs: what it
/// was is judged. `program_a` goes to a shell. Throws as AttachedRun does.
AbResult attach_in_pairs(const AttachRequest& request, const std::string& program_a,
                         const PairOptions& pairs, Talk& talk);

}  // namespace plumbline
