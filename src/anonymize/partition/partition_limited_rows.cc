// Tables in which nobody has two rows, with limits on sensitive values.
#include "anonymize/partition/partition_run.h"

namespace pentimento::partition {

Classes RunLimitedRows(const Task& task) { return RunWithLimits<false>(task); }

}  // namespace pentimento::partition
