/// The fields of a self-check, in comparison.json and controls.json.
#pragma once

#include "analysis/confirm/self_check.h"
#include "store/json/describe.h"

namespace plumbline {

/// `low` and `high` are only for readers of the file: they are computed from the counts.
template <class Io, Is<Detection> R>
void describe(Io& io, R& rate) {
  io("size", rate.size);
  io("seen", rate.seen);
  io("cases", rate.cases);
  ProportionBounds bounds = rate.bounds();
  io("low", bounds.low);
  io("high", bounds.high);
}

template <class Io, Is<SelfCheck> S>
void describe(Io& io, S& check) {
  io("nights", check.nights);
  io("of_nights", check.of_nights);
  io("controls", check.controls);
  io("alarms", check.alarms);
  io("called", check.called);
  io("alone", check.alone);
  io("in_doubt", check.in_doubt);
  io("confirmed", check.confirmed);
}

template <class Io, Is<SelfMeasurement> S>
void describe(Io& io, S& measured) {
  io("own", measured.own);
  io("pooled", measured.pooled);
  io("comparisons", measured.comparisons);
}

}  // namespace plumbline
