#include "io/array_builder.h"

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace pentimento {
namespace {

// What an array owns; deleted by its release callback.
struct ArrayOwner {
  std::vector<std::uint8_t> validity;
  std::vector<std::int32_t> integers;  // offsets or indices
  std::vector<char> bytes;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  std::shared_ptr<const ArrowArray> shared_dictionary;
  ArrowArray dictionary{};
};

void ReleaseArray(ArrowArray* array) {
  auto* owner = static_cast<ArrayOwner*>(array->private_data);
  for (ArrowArray& child : owner->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (owner->dictionary.release != nullptr) owner->dictionary.release(&owner->dictionary);
  array->release = nullptr;
  delete owner;
}

ArrowArray Wrap(std::size_t rows, std::int64_t null_count, std::unique_ptr<ArrayOwner> owner) {
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(rows);
  array.null_count = null_count;
  array.n_buffers = static_cast<std::int64_t>(owner->buffers.size());
  array.buffers = owner->buffers.data();
  array.n_children = static_cast<std::int64_t>(owner->child_pointers.size());
  array.children = owner->child_pointers.empty() ? nullptr : owner->child_pointers.data();
  array.dictionary = owner->shared_dictionary ? &owner->dictionary : nullptr;
  array.release = ReleaseArray;
  array.private_data = owner.release();
  return array;
}

const void* BitsOrNull(const std::vector<std::uint8_t>& bits) { return bits.empty() ? nullptr : bits.data(); }

// Lends the shared dictionary to one array: same buffers, a release that only drops the reference.
ArrowArray Lend(const std::shared_ptr<const ArrowArray>& dictionary) {
  ArrowArray lent = *dictionary;
  lent.private_data = new std::shared_ptr<const ArrowArray>(dictionary);
  lent.release = [](ArrowArray* array) {
    delete static_cast<std::shared_ptr<const ArrowArray>*>(array->private_data);
    array->release = nullptr;
  };
  return lent;
}

struct SchemaOwner {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
  ArrowSchema dictionary{};
};

void ReleaseSchema(ArrowSchema* schema) {
  auto* owner = static_cast<SchemaOwner*>(schema->private_data);
  for (ArrowSchema& child : owner->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (owner->dictionary.release != nullptr) owner->dictionary.release(&owner->dictionary);
  schema->release = nullptr;
  delete owner;
}

ArrowSchema MakeSchema(std::string format, std::string name, std::vector<ArrowSchema> children = {}) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->format = std::move(format);
  owner->name = std::move(name);
  owner->children = std::move(children);
  for (ArrowSchema& child : owner->children) owner->child_pointers.push_back(&child);
  ArrowSchema schema{};
  schema.format = owner->format.c_str();
  schema.name = owner->name.c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.n_children = static_cast<std::int64_t>(owner->children.size());
  schema.children = owner->child_pointers.empty() ? nullptr : owner->child_pointers.data();
  schema.release = ReleaseSchema;
  schema.private_data = owner.release();
  return schema;
}

ArrowSchema MakeFieldSchema(const FieldSpec& field) {
  if (!field.dictionary) return MakeSchema(field.format, field.name);
  ArrowSchema schema = MakeSchema("i", field.name);
  auto* owner = static_cast<SchemaOwner*>(schema.private_data);
  owner->dictionary = MakeSchema(field.format, "");
  schema.dictionary = &owner->dictionary;
  return schema;
}

struct StreamOwner {
  std::vector<FieldSpec> fields;
  std::function<Result<ArrowArray>()> next;
  std::shared_ptr<std::optional<Error>> failure;
};

std::shared_ptr<const ArrowArray> Share(ArrowArray array) {
  return {new ArrowArray(array), [](const ArrowArray* owned) {
            auto* mutable_array = const_cast<ArrowArray*>(owned);
            mutable_array->release(mutable_array);
            delete mutable_array;
          }};
}

template <typename Number>
std::shared_ptr<const ArrowArray> ShareFixed(std::span<const Number> numbers) {
  std::vector<char> bytes(numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return Share(MakeFixedColumn(numbers.size(), Validity(numbers.size()), std::move(bytes)));
}

}  // namespace

void Validity::SetNull(std::size_t row) {
  if (bits_.empty()) bits_.assign((rows_ + 7) / 8, 0xFF);
  bits_[row / 8] = static_cast<std::uint8_t>(bits_[row / 8] & ~(1U << (row % 8)));
  ++null_count_;
}

TextColumnBuilder::TextColumnBuilder(std::size_t rows, std::size_t bytes_hint) : validity_(rows) {
  offsets_.reserve(rows + 1);
  offsets_.push_back(0);
  bytes_.reserve(bytes_hint);
}

ArrowArray TextColumnBuilder::Finish() && {
  Check(bytes_.size() <= INT32_MAX, "one batch of a text column holds at most 2 GiB");
  auto owner = std::make_unique<ArrayOwner>();
  const std::size_t rows = offsets_.size() - 1;
  const std::int64_t nulls = validity_.null_count();
  owner->validity = validity_.TakeBits();
  owner->integers = std::move(offsets_);
  owner->bytes = std::move(bytes_);
  if (owner->bytes.empty()) owner->bytes.push_back(0);  // a buffer without an address confuses some readers
  owner->buffers = {BitsOrNull(owner->validity), owner->integers.data(), owner->bytes.data()};
  return Wrap(rows, nulls, std::move(owner));
}

ArrowArray MakeFixedColumn(std::size_t rows, Validity validity, std::vector<char> bytes) {
  auto owner = std::make_unique<ArrayOwner>();
  const std::int64_t nulls = validity.null_count();
  owner->validity = validity.TakeBits();
  owner->bytes = std::move(bytes);
  owner->buffers = {BitsOrNull(owner->validity), owner->bytes.data()};
  return Wrap(rows, nulls, std::move(owner));
}

ArrowArray MakeDictionaryColumn(std::vector<std::int32_t> indices, Validity validity,
                                std::shared_ptr<const ArrowArray> dictionary) {
  auto owner = std::make_unique<ArrayOwner>();
  const std::size_t rows = indices.size();
  const std::int64_t nulls = validity.null_count();
  owner->validity = validity.TakeBits();
  owner->integers = std::move(indices);
  owner->buffers = {BitsOrNull(owner->validity), owner->integers.data()};
  owner->dictionary = Lend(dictionary);
  owner->shared_dictionary = std::move(dictionary);
  return Wrap(rows, nulls, std::move(owner));
}

std::shared_ptr<const ArrowArray> ShareTexts(std::span<const std::string> texts) {
  TextColumnBuilder builder(texts.size(), 0);
  for (const std::string& text : texts) builder.Append(text);
  return Share(std::move(builder).Finish());
}

std::shared_ptr<const ArrowArray> ShareNumbers(std::span<const std::int64_t> numbers) { return ShareFixed(numbers); }
std::shared_ptr<const ArrowArray> ShareNumbers(std::span<const double> numbers) { return ShareFixed(numbers); }

ArrowArray MakeBatch(std::size_t rows, std::vector<ArrowArray> columns) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->children = std::move(columns);
  for (ArrowArray& child : owner->children) owner->child_pointers.push_back(&child);
  owner->buffers = {nullptr};
  return Wrap(rows, 0, std::move(owner));
}

ArrowSchema MakeBatchSchema(const std::vector<FieldSpec>& fields) {
  std::vector<ArrowSchema> children;
  for (const FieldSpec& field : fields) children.push_back(MakeFieldSchema(field));
  ArrowSchema schema = MakeSchema("+s", "", std::move(children));
  schema.flags = 0;
  return schema;
}

ArrowArrayStream MakeStream(std::vector<FieldSpec> fields, std::function<Result<ArrowArray>()> next,
                            std::shared_ptr<std::optional<Error>> failure) {
  if (!failure) failure = std::make_shared<std::optional<Error>>();
  ArrowArrayStream stream{};
  stream.private_data = new StreamOwner{std::move(fields), std::move(next), std::move(failure)};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    *out = MakeBatchSchema(static_cast<StreamOwner*>(self->private_data)->fields);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto* owner = static_cast<StreamOwner*>(self->private_data);
    Result<ArrowArray> batch = owner->next();
    if (!batch.ok()) {
      *owner->failure = std::move(batch).error();
      return EIO;
    }
    *out = *batch;
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream* self) -> const char* {
    const auto& failure_of = *static_cast<StreamOwner*>(self->private_data)->failure;
    return failure_of ? failure_of->message.c_str() : nullptr;
  };
  stream.release = [](ArrowArrayStream* self) {
    delete static_cast<StreamOwner*>(self->private_data);
    self->release = nullptr;
  };
  return stream;
}

}  // namespace pentimento
