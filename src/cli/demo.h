// What `pentimento demo` tells: its stories, each in demo_NAME.cc, and the files that they are made from and that came
// out of them. Everything that a story makes goes into `folder`, which it makes where it is not there.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/generate/people_project.h"
#include "engine/incremental/incremental_meter.h"
#include "engine/publish.h"

namespace pentimento {

// A register that grows, published anew each time and then as a series. demo_story.cc
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
  Result<ReleaseOutcome> Publish(const std::string& policy, const std::string& place);
  std::vector<std::filesystem::path> BatchFiles() const;

  std::filesystem::path folder_;
  std::array<PeopleBatch, 3> batches_;
  Progress* progress_;
  std::uint64_t releases_ = 0;        // made so far
  std::optional<BoundPolicy> bound_;  // of the first release in the series; the others differ in their batch
  IncrementalReading anew_;           // of the last release, published anew
};

// Two offices publish different columns of the same people. demo_offices.cc
Status TellTwoOffices(const std::filesystem::path& folder, Progress* progress);

// The same people and the same promise, in one generalized table and in two undistorted ones. demo_hospital.cc
// `people` is a table of the made-up register, beside its taxonomies.
Status TellHospital(const std::filesystem::path& folder, const std::filesystem::path& people, Progress* progress);

// A clinic publishes its patients twice, each time safely, and both times together not. demo_clinic.cc
Status TellClinic(const std::filesystem::path& folder, Progress* progress);

// Three tables of the same people with different columns, each safe by itself. demo_three_tables.cc
// `people` is a table of the made-up register, beside its taxonomies.
Status TellThreeTables(const std::filesystem::path& folder, const std::filesystem::path& people, Progress* progress);

// Makes the folder where it is not there yet. demo_command.cc
Status WriteDemoFile(const std::filesystem::path& file, std::string_view text);

// The rows below the header. The stories publish nothing that needs quotes. kInternal where there are not `rows` of
// them, or one does not have `columns` cells: what follows would be told of something else.
Result<std::vector<std::vector<std::string>>> ReadDemoTable(const std::filesystem::path& file, std::size_t rows,
                                                            std::size_t columns);

}  // namespace pentimento
