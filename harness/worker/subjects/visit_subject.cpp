#include "worker/subjects/visit_subject.h"

namespace plumbline {

std::uint64_t placement_key(const MeasureRequest& request, std::int64_t placement) {
  return stable_hash(std::to_string(request.seed) + '\n' + request.subject.id + '\n' +
                     std::to_string(request.round) + '\n' + std::to_string(placement));
}

}  // namespace plumbline
