#include "measure/delay_patterns.h"

namespace plumbline {

std::vector<std::vector<bool>> delay_patterns(int streams) {
  std::vector<std::vector<bool>> patterns;
  if (streams == 1) patterns.push_back({true});
  for (int bit = 1; bit < streams; bit *= 2)
    for (const bool is_set : {true, false}) {
      std::vector<bool> delayed;
      for (int i = 0; i < streams; ++i) delayed.push_back(((i & bit) != 0) == is_set);
      patterns.push_back(std::move(delayed));
    }
  return patterns;
}

}  // namespace plumbline
