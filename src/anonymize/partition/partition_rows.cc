// Tables in which nobody has two rows, without limits.
#include "anonymize/partition/partition_run.h"

namespace pentimento::partition {

Classes RunRows(const Task& task) { return RunWithFittingRecords<false>(task); }

}  // namespace pentimento::partition
