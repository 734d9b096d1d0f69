// Tables in which somebody has several rows, without limits.
#include "anonymize/partition/partition_run.h"

namespace pentimento::partition {

Classes RunPersons(const Task& task) { return RunWithFittingRecords<true>(task); }

}  // namespace pentimento::partition
