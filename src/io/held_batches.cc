#include "io/held_batches.h"

#include <cerrno>
#include <utility>

#include "base/progress.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// What was lent of one schema or array: its children may be taken out and kept for longer.
template <typename Struct>
struct Lent {
  std::shared_ptr<const HeldBatches> owner;
  std::vector<Struct> children;
  std::vector<Struct*> pointers;
  Struct dictionary{};
};

template <typename Struct>
void ReleaseLent(Struct* lent) {
  const auto* parts = static_cast<Lent<Struct>*>(lent->private_data);
  for (std::int64_t i = 0; i < lent->n_children; ++i) {
    if (lent->children[i]->release != nullptr) lent->children[i]->release(lent->children[i]);
  }
  if (lent->dictionary != nullptr && lent->dictionary->release != nullptr) lent->dictionary->release(lent->dictionary);
  lent->release = nullptr;
  delete parts;
}

template <typename Struct>
Struct Lend(const Struct& held, const std::shared_ptr<const HeldBatches>& owner) {
  auto parts = std::make_unique<Lent<Struct>>();
  parts->owner = owner;
  Struct lent = held;
  parts->children.reserve(static_cast<std::size_t>(held.n_children));
  for (std::int64_t i = 0; i < held.n_children; ++i) parts->children.push_back(Lend(*held.children[i], owner));
  for (Struct& child : parts->children) parts->pointers.push_back(&child);
  lent.children = parts->pointers.data();
  if (held.dictionary != nullptr) {
    parts->dictionary = Lend(*held.dictionary, owner);
    lent.dictionary = &parts->dictionary;
  }
  lent.release = ReleaseLent<Struct>;
  lent.private_data = parts.release();
  return lent;
}

}  // namespace

struct HeldStream {
  std::shared_ptr<const HeldBatches> held;
  std::size_t next = 0;

  static HeldStream& Of(ArrowArrayStream* stream) { return *static_cast<HeldStream*>(stream->private_data); }
  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    const HeldStream& self = Of(stream);
    *out = Lend(self.held->schema_, self.held);
    return 0;
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    HeldStream& self = Of(stream);
    *out = {};
    if (self.next < self.held->batches_.size()) *out = Lend(self.held->batches_[self.next++], self.held);
    return 0;
  }
  static const char* GetLastError(ArrowArrayStream*) { return nullptr; }
  static void Release(ArrowArrayStream* stream) {
    delete &Of(stream);
    stream->release = nullptr;
  }
};

Result<std::shared_ptr<const HeldBatches>> HeldBatches::Take(const std::string& name, ArrowArrayStream stream) {
  const std::unique_ptr<ArrowArrayStream, void (*)(ArrowArrayStream*)> closed(&stream, [](ArrowArrayStream* taken) {
    if (taken->release != nullptr) taken->release(taken);
  });
  const std::shared_ptr<HeldBatches> held(new HeldBatches);
  // The stream's own message may quote a cell.
  const auto failed = [&] {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: the stream of the table failed on its way; the reason is with whoever made it", name)};
  };
  if (stream.get_schema(&stream, &held->schema_) != 0) return failed();
  if (std::string_view(held->schema_.format) != "+s")
    return Error{ErrorCode::kBadInput, fmt::format("{}: is not a table, but a single column; hand over a table", name)};
  while (true) {
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    ArrowArray batch{};
    if (stream.get_next(&stream, &batch) != 0) return failed();
    if (batch.release == nullptr) break;
    held->rows_ += static_cast<std::uint64_t>(batch.length);
    held->batches_.push_back(batch);
  }
  return std::shared_ptr<const HeldBatches>(held);
}

HeldBatches::~HeldBatches() {
  for (ArrowArray& batch : batches_) batch.release(&batch);
  if (schema_.release != nullptr) schema_.release(&schema_);
}

ArrowArrayStream HeldBatches::Stream() const {
  return {HeldStream::GetSchema, HeldStream::GetNext, HeldStream::GetLastError, HeldStream::Release,
          new HeldStream{shared_from_this()}};
}

}  // namespace pentimento
