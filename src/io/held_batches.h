// Batches of a stream that is read to its end and held, to be handed out as often as somebody asks. No cell is copied:
// what is handed out keeps what is held, and that keeps the buffers of whoever made the stream.
//
// 1. What is held never changes, as far as its maker does not change its buffers.
// 2. Streams, schemas, batches and their children that are handed out are released one by one, in any order, by any
//    thread, also after this is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/arrow_c_data.h"

namespace pentimento {

class HeldBatches : public std::enable_shared_from_this<HeldBatches> {
 public:
  // Takes the stream over and releases it. kBadInput where it is no table or fails on its way; `name` is for messages.
  static Result<std::shared_ptr<const HeldBatches>> Take(const std::string& name, ArrowArrayStream stream);
  ~HeldBatches();
  HeldBatches(const HeldBatches&) = delete;
  HeldBatches& operator=(const HeldBatches&) = delete;

  const ArrowSchema& schema() const { return schema_; }
  std::uint64_t rows() const { return rows_; }
  // From the first batch on.
  ArrowArrayStream Stream() const;

 private:
  friend struct HeldStream;
  HeldBatches() = default;

  ArrowSchema schema_{};
  std::vector<ArrowArray> batches_;
  std::uint64_t rows_ = 0;
};

}  // namespace pentimento
