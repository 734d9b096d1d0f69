// What `pentimento demo` tells: a register that grows, published anew each time and then as a series.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/generate/people_batches.h"
#include "engine/incremental/incremental_meter.h"
#include "engine/publish.h"

namespace pentimento {

class DemoStory {
 public:
  // `folder` is empty and takes everything that is made. A batch of `rows` / 31 comes last, one of `rows` * 10 / 31
  // before it: with 9,300 these are 300 and 3,000, after 6,000.
  DemoStory(std::filesystem::path folder, std::uint64_t rows, Progress* progress);

  // To be called once each, in this order.
  Status MakeUpRegister();
  Status TellOneRelease();
  Status TellReleasesSideBySide();
  Status TellSeries();

 private:
  Result<ReleaseOutcome> Publish(const std::string& policy, const std::string& place) const;
  std::vector<std::filesystem::path> BatchFiles() const;

  std::filesystem::path folder_;
  std::array<PeopleBatch, 3> batches_;
  Progress* progress_;
  std::optional<BoundPolicy> bound_;  // of the first release in the series; the others differ in their batch
  IncrementalReading anew_;           // of the last release, published anew
};

}  // namespace pentimento
