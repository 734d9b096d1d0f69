// Tables in which somebody has several rows, with limits on sensitive values.
#include "anonymize/partition/partition_run.h"

namespace pentimento::partition {

Classes RunLimitedPersons(const Task& task) { return RunWithLimits<true>(task); }

}  // namespace pentimento::partition
