/// Where the source of changed cases changed: the first lines that git shows as different.
///
/// Reads the suites' files and asks git; judges nothing.
#pragma once

#include "analysis/compare/comparison.h"
#include "reports/exports/source_place.h"

namespace plumbline {

/// A place for each case of the findings, best first: the changed file that the case's benchmark
/// declares (`source:`), a changed file that no other benchmark of the suite declares (a header),
/// for code that is built before it is measured the first changed source of the commit, else the
/// benchmark in the suite's file. Lines are those of the first change. If git does not know the
/// baseline's commit, only suites are named; without git, and for suites outside of its tree, there
/// are no places.
SourcePlaces source_places(const Comparison& comparison);

}  // namespace plumbline
