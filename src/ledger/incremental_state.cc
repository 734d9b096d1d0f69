#include "ledger/incremental_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "base/run.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kSegmentVersion = 3;

// In the order in which they are written: what is known last comes last.
enum Section : std::size_t {
  kNodes,
  kSplits,
  kLeaves,
  kLeafChecksums,
  kWithdrawn,
  kIdentified,
  kMembers,
  kCodes,
  kAbout,
  kSections
};
// These steer a walk through the segment and are checked whenever it is opened, and so is who left.
constexpr std::array kSteeringSections = {kNodes, kSplits, kLeaves, kLeafChecksums, kWithdrawn, kAbout};

// The beginning of the payload.
struct Opening {
  std::uint32_t version = kSegmentVersion;
  std::uint32_t columns = 0;
  std::uint32_t bytes_per_code = 0;
  std::uint32_t new_members = 0;
  std::array<std::uint64_t, 6> reserved{};
};
static_assert(sizeof(Opening) == kAlignment && std::has_unique_object_representations_v<Opening>);

struct Place {
  std::uint64_t offset = 0;  // from the beginning of the payload
  std::uint64_t bytes = 0;
};

// The end of the payload.
struct SegmentDirectory {
  std::array<Place, kSections> places{};
  std::uint64_t identified_checksum = 0;
  std::uint64_t steering_checksum = 0;  // over those of the opening, this directory (with 0 here), and what steers
};
static_assert(std::has_unique_object_representations_v<SegmentDirectory>);

using Sections = std::array<std::span<const std::byte>, kSections>;

template <typename T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::uint64_t SteeringChecksum(const Opening& opening, SegmentDirectory directory, const Sections& sections) {
  directory.steering_checksum = 0;
  std::vector<std::uint64_t> each = {Checksum(BytesOf(opening)), Checksum(BytesOf(directory))};
  for (const Section section : kSteeringSections) each.push_back(Checksum(sections[section]));
  return Checksum(std::as_bytes(std::span(each)));
}

// Of members and codes of the records of one leaf, which are read together or not at all.
std::uint64_t LeafChecksum(const SegmentView& segment, std::size_t columns, const LeafRecords& leaf) {
  const std::uint64_t codes = std::visit(
      [&](auto all) {
        return Checksum(std::as_bytes(all.subspan(std::size_t{leaf.begin} * columns, leaf.count * columns)));
      },
      segment.codes);
  const std::array both = {Checksum(std::as_bytes(segment.members.subspan(leaf.begin, leaf.count))), codes};
  return Checksum(std::as_bytes(std::span(both)));
}

std::vector<std::uint64_t> LeafChecksums(const SegmentView& segment, std::size_t columns) {
  std::vector<std::uint64_t> checksums;
  checksums.reserve(segment.leaves.size());
  for (const LeafRecords& leaf : segment.leaves) checksums.push_back(LeafChecksum(segment, columns, leaf));
  return checksums;
}

std::uint64_t Aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T>
std::span<const T> As(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

std::optional<Sections> FindSections(const SegmentDirectory& directory, std::span<const std::byte> payload) {
  Sections sections;
  for (std::size_t s = 0; s < kSections; ++s) {
    const Place place = directory.places[s];
    if (place.offset % kAlignment != 0 || place.offset > payload.size() || place.bytes > payload.size() - place.offset)
      return std::nullopt;
    sections[s] = payload.subspan(place.offset, place.bytes);
  }
  return sections;
}

// Whoever walks through the segment never leaves it.
bool IsSound(const SegmentView& segment, std::size_t columns, NodeNumber nodes_before, CaseNumber members_before) {
  const std::uint64_t nodes = std::uint64_t{nodes_before} + segment.nodes.size();
  const std::uint64_t members = std::uint64_t{members_before} + segment.new_members;
  const std::size_t codes = std::visit([](auto each) { return each.size(); }, segment.codes);
  // Children come after their parent, so that nobody goes down for ever.
  NodeNumber own = nodes_before;
  const auto has_children_here = [&](std::uint32_t column, NodeNumber first, std::uint32_t count) {
    return column < columns && count >= 2 && first >= nodes_before && std::uint64_t{first} + count <= nodes;
  };
  const bool nodes_ok = std::ranges::all_of(segment.nodes, [&](const RegionNode& node) {
    const NodeNumber number = own++;
    return node.is_leaf() ||
           (node.first_child > number && has_children_here(node.column, node.first_child, node.child_count));
  });
  const bool splits_ok = std::ranges::all_of(segment.splits, [&](const NodeSplit& split) {
    return split.node < nodes_before && has_children_here(split.column, split.first_child, split.child_count);
  });
  const bool leaves_ok = std::ranges::all_of(segment.leaves, [&](const LeafRecords& leaf) {
    return leaf.node < nodes && std::uint64_t{leaf.begin} + leaf.count <= segment.members.size();
  });
  return nodes_ok && splits_ok && leaves_ok && members < UINT32_MAX && codes == segment.members.size() * columns &&
         std::ranges::all_of(segment.withdrawn, [&](CaseNumber member) { return member < members_before; });
}

Error DamagedSegment(const std::string& name, std::string_view what) {
  return {ErrorCode::kCorruptLedger,
          fmt::format("{}: the state of the series is damaged: {}. Restore the ledger from a backup.", name, what)};
}

// Puts section after section into the file and notes where they are.
class SectionWriter {
 public:
  explicit SectionWriter(StateFileWriter writer) : writer_(std::move(writer)) {}

  Status Begin(const Opening& opening) { return Append(BytesOf(opening)); }

  Status Write(Section section, std::span<const std::byte> bytes) {
    constexpr std::array<std::byte, kAlignment> kPadding{};
    PENTIMENTO_RETURN_IF_ERROR(Append(std::span(kPadding).first(Aligned(written_) - written_)));
    directory_.places[section] = {written_, bytes.size()};
    sections_[section] = bytes;
    return Append(bytes);
  }

  Result<StateFileRecord> Finish(const Opening& opening) {
    directory_.identified_checksum = Checksum(sections_[kIdentified]);
    directory_.steering_checksum = SteeringChecksum(opening, directory_, sections_);
    PENTIMENTO_RETURN_IF_ERROR(Append(BytesOf(directory_)));
    return writer_.Finish();
  }

 private:
  Status Append(std::span<const std::byte> bytes) {
    written_ += bytes.size();
    return writer_.Append(bytes);
  }

  StateFileWriter writer_;
  std::uint64_t written_ = 0;
  SegmentDirectory directory_;
  Sections sections_;  // what they point at stays until Finish
};

}  // namespace

Result<StateFileRecord> WriteIncrementalSegment(const std::filesystem::path& state_folder, std::string_view name,
                                                const SegmentView& segment, std::size_t columns,
                                                std::span<const CaseNumber> identified, const AboutWhenKnown& about) {
  Opening opening;
  opening.columns = static_cast<std::uint32_t>(columns);
  opening.bytes_per_code = std::visit([](auto each) { return std::uint32_t{sizeof(each[0])}; }, segment.codes);
  opening.new_members = segment.new_members;
  PENTIMENTO_ASSIGN(StateFileWriter file,
                    StateFileWriter::Create(state_folder, name, StateKind::kTree, 1, WriteWay::kPastCache));
  SectionWriter writer(std::move(file));
  PENTIMENTO_RETURN_IF_ERROR(writer.Begin(opening));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kNodes, std::as_bytes(segment.nodes)));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kSplits, std::as_bytes(segment.splits)));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kLeaves, std::as_bytes(segment.leaves)));
  const std::vector<std::uint64_t> leaf_checksums = LeafChecksums(segment, columns);
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kLeafChecksums, std::as_bytes(std::span(leaf_checksums))));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kWithdrawn, std::as_bytes(segment.withdrawn)));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kIdentified, std::as_bytes(identified)));
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kMembers, std::as_bytes(segment.members)));
  const auto codes = std::visit([](auto each) { return std::as_bytes(each); }, segment.codes);
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kCodes, codes));
  Failpoint("series-segment-waiting");
  const std::optional<std::string> known = about();
  if (!known) return Error{ErrorCode::kCancelled, "the release is not made after all"};
  PENTIMENTO_RETURN_IF_ERROR(writer.Write(kAbout, std::as_bytes(std::span(*known))));
  PENTIMENTO_ASSIGN(StateFileRecord record, writer.Finish(opening));
  Failpoint("series-segment-named");
  return record;
}

Result<IncrementalSegment> IncrementalSegment::Open(MappedStateFile file, NodeNumber nodes_before,
                                                    CaseNumber members_before, const std::string& name) {
  IncrementalSegment segment(std::move(file));
  PENTIMENTO_ASSIGN(const std::span<const std::byte> payload, segment.file_.Elements<std::byte>());
  Opening opening;
  SegmentDirectory directory;
  if (payload.size() < sizeof opening) return DamagedSegment(name, "it is too short");
  std::memcpy(&opening, payload.data(), sizeof opening);
  if (opening.version != kSegmentVersion) {
    return Error{
        ErrorCode::kStorage,
        fmt::format(
            "{}: the state of the series has version {}, this program reads {}. Use the Pentimento that wrote it; "
            "if there is none, restore the ledger from a backup.",
            name, opening.version, kSegmentVersion)};
  }
  if (payload.size() < sizeof opening + sizeof directory) return DamagedSegment(name, "it is too short");
  std::memcpy(&directory, payload.last(sizeof directory).data(), sizeof directory);
  const std::optional<Sections> sections = FindSections(directory, payload);
  if (!sections || (opening.bytes_per_code != 2 && opening.bytes_per_code != 4))
    return DamagedSegment(name, "its directory does not fit");
  if (SteeringChecksum(opening, directory, *sections) != directory.steering_checksum)
    return DamagedSegment(name, "a checksum is wrong");
  segment.columns_ = opening.columns;
  SegmentView& view = segment.view_;
  view.nodes = As<RegionNode>((*sections)[kNodes]);
  view.splits = As<NodeSplit>((*sections)[kSplits]);
  view.leaves = As<LeafRecords>((*sections)[kLeaves]);
  view.members = As<CaseNumber>((*sections)[kMembers]);
  view.codes = opening.bytes_per_code == 2 ? CodesByRecord(As<std::uint16_t>((*sections)[kCodes]))
                                           : CodesByRecord(As<std::uint32_t>((*sections)[kCodes]));
  view.withdrawn = As<CaseNumber>((*sections)[kWithdrawn]);
  view.new_members = opening.new_members;
  segment.leaf_checksums_ = As<std::uint64_t>((*sections)[kLeafChecksums]);
  segment.identified_ = As<CaseNumber>((*sections)[kIdentified]);
  segment.identified_checksum_ = directory.identified_checksum;
  const auto about = As<char>((*sections)[kAbout]);
  segment.about_ = {about.data(), about.size()};
  if (segment.leaf_checksums_.size() != view.leaves.size() ||
      !IsSound(view, opening.columns, nodes_before, members_before))
    return DamagedSegment(name, "it points outside of itself");
  return segment;
}

bool IncrementalSegment::RecordsAreIntact(std::size_t leaf) const {
  return LeafChecksum(view_, columns_, view_.leaves[leaf]) == leaf_checksums_[leaf];
}

bool IncrementalSegment::IdentifiedAreIntact() const {
  return Checksum(std::as_bytes(identified_)) == identified_checksum_;
}

Result<StateFileRecord> WriteIncrementalRowsState(const std::filesystem::path& state_folder, std::string_view name,
                                                  const std::filesystem::path& parquet) {
  std::ifstream input(parquet, std::ios::binary);
  if (!input.is_open())
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be read back; try again", parquet.string())};
  PENTIMENTO_ASSIGN(StateFileWriter writer, StateFileWriter::Create(state_folder, name, StateKind::kRows, 1));
  std::vector<char> chunk(1 << 20);
  while (input) {
    input.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    const auto got = static_cast<std::size_t>(input.gcount());
    PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(std::span(chunk).first(got))));
  }
  if (!input.eof())
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be read back; try again", parquet.string())};
  return writer.Finish();
}

}  // namespace pentimento
