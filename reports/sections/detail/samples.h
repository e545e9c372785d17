/// The samples of every case as text, in as much detail as the page has room for.
///
/// Format, read by samples.js: a value is 2 or 3 letters of an alphabet of 64, most significant
/// first. It is a position between the row's lowest and highest value on a logarithmic scale
/// (linear if the lowest is not positive). 3 letters resolve 4·10⁻⁶ of the scale, 2 letters 2·10⁻⁴.
#pragma once

#include <cstddef>
#include <string>

#include "reports/model.h"

namespace plumbline {

enum class SampleDetail {
  all,              // every sample
  block_quantiles,  // for a block of more than three samples: 10 %, median, 90 %
  block_medians,    // one value for each block
  round_quantiles,  // of all samples of a round: 10 %, median, 90 %
};

/// The most detailed level at which the samples of all cases fit into `room_bytes`; else the least
/// detailed. Cases that need action always count in full.
SampleDetail detail_for_room(const ReportModel& model, std::size_t room_bytes);

/// The level of one case.
SampleDetail detail_of(const CaseView& view, SampleDetail of_page);

struct EncodedSamples {
  std::string baseline_shape, candidate_shape;  // `round:blocks x samples+…|…`: `0:8x10|1:8x10`
  double low = 0, high = 0;                     // ends of the scale, base unit
  std::string values;                           // the baseline's, then the candidate's
};
EncodedSamples encode_samples(const CaseView& view, SampleDetail detail);

}  // namespace plumbline
