// The module pentimento._core: it converts types, and decides nothing. The package in python/ is what people call.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/release_json.h"
#include "engine/publish.h"
#include "files/arrow_plugin.h"
#include "files/table_file.h"
#include "io/held_batches.h"
#include "io/input_table.h"
#include "python/watched_run.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: names of arguments

namespace pentimento::python {
namespace {

constexpr const char* kStreamCapsule = "arrow_array_stream";

// As in `--json`.
const char* KindOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kBadPolicy:
      return "policy";
    case ErrorCode::kBadInput:
      return "input";
    case ErrorCode::kStorage:
      return "storage";
    case ErrorCode::kCorruptLedger:
      return "ledger";
    case ErrorCode::kCancelled:
      return "interrupted";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

// What the package makes exceptions of. Returned and not raised: it knows what to say of a place in a policy.
struct Failure {
  explicit Failure(const Error& error, const Remarks& remarks = {})
      : kind(KindOf(error.code)), message(error.message), notes(remarks.notes) {
    notes.insert(notes.end(), remarks.warnings.begin(), remarks.warnings.end());
  }

  std::string kind;
  std::string message;
  std::vector<std::string> notes;
};

nb::object Failed(const Error& error, const Remarks& remarks = {}) { return nb::cast(Failure(error, remarks)); }

nb::capsule Capsule(ArrowArrayStream stream) {
  return nb::capsule(new ArrowArrayStream(stream), kStreamCapsule, [](void* pointer) noexcept {
    auto* const held = static_cast<ArrowArrayStream*>(pointer);
    if (held->release != nullptr) held->release(held);
    delete held;
  });
}

// A stream that is taken out of its capsule; a second time there is nothing in it.
std::optional<ArrowArrayStream> TakeStream(const nb::capsule& capsule) {
  auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStreamCapsule));
  if (stream == nullptr) throw nb::python_error();
  if (stream->release == nullptr) return std::nullopt;
  return std::exchange(*stream, {});
}

// The rows of a caller's table.
using Table = std::shared_ptr<const HeldBatches>;

// A Table, or a failure.
nb::object TakeTable(const std::string& name, const nb::capsule& capsule) {
  const std::optional<ArrowArrayStream> stream = TakeStream(capsule);
  if (!stream) return Failed({ErrorCode::kBadInput, name + ": this stream has been read already"});
  Table table;
  const Status taken = RunWatched(1, nb::none(), [&](Progress&) -> Status {
    PENTIMENTO_ASSIGN(table, HeldBatches::Take(name, *stream));
    return {};
  });
  return taken.ok() ? nb::cast(std::const_pointer_cast<HeldBatches>(table)) : Failed(taken.error());
}

// A seed that Python can hand on, and not see.
struct DrawnSeed {
  Seed seed = DrawSeed();
};

struct Request {
  std::string policy, source, ledger, out, table_name;
  std::shared_ptr<HeldBatches> table;  // nothing: the files that the policy names
  bool dry_run = false, changes_only = false, yes = false, new_ledger = false;
  std::optional<std::uint64_t> seed;  // for tests and repeats
  std::optional<DrawnSeed> drawn;
  std::string expected;  // the JSON of the dry run that is to be published now; empty: of none
};

// That what is about to be published is what a dry run has shown, but for what only a run that publishes tells.
Status RequireExpected(const ReleaseOutcome& outcome, const std::string& expected) {
  nlohmann::json before = nlohmann::json::parse(expected);
  nlohmann::json now = nlohmann::json::parse(ReleaseJson(outcome));
  for (const char* key : {"published", "dry_run", "seconds", "folder", "files", "new_ledger", "recovered",
                          "single_valued", "notes", "warnings"}) {
    before.erase(key);
    now.erase(key);
  }
  if (before == now) return {};
  return Error{ErrorCode::kBadInput,
               "the table, a taxonomy or the ledger has changed since this release was made, so that something else "
               "would be published. Nothing was published; make it again"};
}

// JSON and, of a dry run, its rows (nothing of a growing series); or a failure.
nb::object Release(const Request& request, std::size_t threads, const nb::object& progress) {
  Remarks remarks;
  std::string json;
  Table rows;
  const Status status = RunWatched(threads, progress, [&](Progress& shown) -> Status {
    PENTIMENTO_ASSIGN(Policy policy, ParsePolicy(request.policy, request.source,
                                                 request.table ? PolicyUse::kStream : PolicyUse::kRelease));
    ReleaseOptions options;
    options.ledger = request.ledger;
    options.out = request.out;
    options.dry_run = request.dry_run;
    options.changes_only = request.changes_only;
    options.yes = request.yes;
    options.new_ledger = request.new_ledger;
    options.seed = request.seed;
    options.progress = &shown;
    options.remarks = &remarks;
    if (request.table) {
      options.input = std::make_shared<InputTable>(
          request.table_name, [table = request.table]() -> Result<ArrowArrayStream> { return table->Stream(); });
    }
    ReleaseHooks hooks;
    if (request.drawn) hooks.drawn_seed = request.drawn->seed;
    hooks.show = [&](ArrowArrayStream stream) -> Status {
      PENTIMENTO_ASSIGN(rows, HeldBatches::Take("the release", stream));
      return {};
    };
    if (!request.expected.empty())
      hooks.approve = [&](const ReleaseOutcome& outcome) { return RequireExpected(outcome, request.expected); };
    PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, PublishRelease(std::move(policy), options, hooks));
    json = ReleaseJson(outcome);
    return {};
  });
  if (!status.ok()) return Failed(status.error(), remarks);
  return nb::make_tuple(json, rows ? nb::cast(std::const_pointer_cast<HeldBatches>(rows)) : nb::none());
}

// Nothing, or a failure.
nb::object CheckPolicy(const std::string& text, const std::string& source, bool for_stream) {
  const Result<Policy> policy = ParsePolicy(text, source, for_stream ? PolicyUse::kStream : PolicyUse::kRelease);
  return policy.ok() ? nb::none() : Failed(policy.error());
}

// A capsule with the rows of a file that we have published, or a failure.
nb::object OpenPublished(const std::string& path) {
  ArrowArrayStream stream{};
  const Status status = RunWatched(0, nb::none(), [&](Progress&) -> Status {
    const TableFile file(path, kPublishedText);
    PENTIMENTO_ASSIGN(const std::vector<std::string> columns, ReadColumnNames(file));
    PENTIMENTO_ASSIGN(TableSource source, OpenTableFile(file, columns, {}));
    stream = std::exchange(*source.stream(), {});
    return {};
  });
  return status.ok() ? nb::object(Capsule(stream)) : Failed(status.error());
}

}  // namespace
}  // namespace pentimento::python

NB_MODULE(_core, module) {
  using namespace pentimento;          // NOLINT: this is the border
  using namespace pentimento::python;  // NOLINT
  nb::class_<HeldBatches>(module, "Table")
      .def_prop_ro("rows", &HeldBatches::rows)
      .def_prop_ro("columns", [](const HeldBatches& table) { return NamesOfColumns(table.schema()); })
      .def_prop_ro("formats",
                   [](const HeldBatches& table) {
                     std::vector<std::string> formats;
                     for (std::int64_t i = 0; i < table.schema().n_children; ++i) {
                       const ArrowSchema& column = *table.schema().children[i];
                       formats.emplace_back(column.dictionary ? column.dictionary->format : column.format);
                     }
                     return formats;
                   })
      .def("stream", [](const HeldBatches& table) { return Capsule(table.Stream()); });
  nb::class_<Failure>(module, "Failure")
      .def_ro("kind", &Failure::kind)
      .def_ro("message", &Failure::message)
      .def_ro("notes", &Failure::notes);
  nb::class_<DrawnSeed>(module, "DrawnSeed").def(nb::init<>());
  nb::class_<Request>(module, "Request")
      .def(nb::init<>())
      .def_rw("policy", &Request::policy)
      .def_rw("source", &Request::source)
      .def_rw("ledger", &Request::ledger)
      .def_rw("out", &Request::out)
      .def_rw("table_name", &Request::table_name)
      .def_rw("table", &Request::table, nb::arg().none())
      .def_rw("dry_run", &Request::dry_run)
      .def_rw("changes_only", &Request::changes_only)
      .def_rw("yes", &Request::yes)
      .def_rw("new_ledger", &Request::new_ledger)
      .def_rw("expected", &Request::expected)
      .def_rw("drawn", &Request::drawn, nb::arg().none())
      .def_rw("seed", &Request::seed, nb::arg().none());
  module.def("take_table", TakeTable, "name"_a, "capsule"_a);
  module.def("release", Release, "request"_a, "threads"_a, "progress"_a.none());
  module.def("check_policy", CheckPolicy, "text"_a, "source"_a, "for_stream"_a);
  module.def("open_published", OpenPublished, "path"_a);
  module.def(
      "set_arrow_folder", [](const std::string& folder) { SetArrowFolder(folder); }, "folder"_a);
  module.def("arrow_version", ArrowVersion);
  module.def("require_arrow", [] {
    const Status status = RequireArrow();
    return status.ok() ? nb::none() : Failed(status.error());
  });
  module.attr("version") = PENTIMENTO_VERSION;
}
