// The classes of a growing series, in the form in which several releases are measured together: the leaves of its tree.
//
// A box of a later release lies in that of an earlier one, so whoever has all releases of the series knows of a case
// what the latest one tells, and the classes of the latest release speak for all of them. Two leaves may be published
// with equal labels; they are two classes here, so that crowds may be larger in truth, and never smaller.
#pragma once

#include <span>

#include "anonymize/incremental/incremental_view.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/steps/own_classes.h"

namespace pentimento {

// `named`: everybody whom the series names. Who came back is in the class of the newest case.
OwnClasses ClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named);

}  // namespace pentimento
