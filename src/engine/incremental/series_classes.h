// The classes of a growing series, in the form in which several releases are measured together: the leaves of its tree.
//
// A box of a later release lies in that of an earlier one, so whoever has all releases of the series knows of the box
// of a case what the latest one tells. Earlier ones tell who was there already: a release after which somebody came has
// classes of its own. Two leaves may be published with equal labels; they are two classes here, so that crowds may be
// larger in truth, and never smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/steps/own_classes.h"

namespace pentimento {

// `named`: everybody whom the series names. Who came back is in the class of the newest case.
OwnClasses ClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named);

// The classes of an earlier release, for the people of ClassesOfSeries in their order.
struct EarlierClasses {
  std::size_t release = 0;  // its place among the releases of the series
  std::vector<ClassNumber> class_of;
  std::vector<ClassNumber> covering;  // of those who came later; the box of their leaf lies in one of that release
  std::vector<std::uint32_t> rows;
};

// Of each release but the latest after which somebody came, in their order. Of releases with the same cases the last
// one refines the others, which are left out.
std::vector<EarlierClasses> EarlierClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named);

}  // namespace pentimento
