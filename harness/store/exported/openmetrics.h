/// A run as OpenMetrics text, which Prometheus scrapes and imports.
///
/// The form is https://github.com/prometheus/OpenMetrics, version 1.0.0.
/// docs/how-to/share-results.md lists the metrics. Opens no file.
#pragma once

#include <string>

#include "core/run/run.h"

namespace plumbline {

/// `with_times`: each sample has the time at which the run started. Prometheus's importer needs
/// that, and node_exporter's collector of text files refuses it. Throws Error if that time is not
/// known.
std::string openmetrics_text(const Run& run, bool with_times);

}  // namespace plumbline
