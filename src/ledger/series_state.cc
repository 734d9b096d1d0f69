#include "ledger/series_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace pentimento {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kVersion = 2;
// So many records share a checksum: few enough to look at a leaf without reading much more.
constexpr std::size_t kBlockRecords = 256;

enum Section : std::size_t {
  kAbout,
  kNodes,
  kSplits,
  kLeaves,
  kBlockChecksums,
  kMembers,
  kCodes,
  kWithdrawn,
  kHashes,
  kMembersOfHashes,
  kSections
};
// These steer a walk through the segment and are checked whenever it is opened, and so is who left.
constexpr std::size_t kSteeringSections = kBlockChecksums + 1;

struct Place {
  std::uint64_t offset = 0;  // from the beginning of the payload
  std::uint64_t bytes = 0;
};

struct Directory {
  std::uint32_t version = kVersion;
  std::uint32_t columns = 0;
  std::uint32_t bytes_per_code = 0;
  std::uint32_t new_members = 0;
  std::array<Place, kSections> places{};
  std::uint64_t steering_checksum = 0;    // over those of this directory (with 0 here), what steers, and who left
  std::uint64_t identities_checksum = 0;  // the same for hashes and their members
};

using Sections = std::array<std::span<const std::byte>, kSections>;

std::uint64_t ChecksumOf(std::span<const std::span<const std::byte>> sections) {
  std::vector<std::uint64_t> each;
  for (const auto section : sections) each.push_back(Checksum(section));
  return Checksum(std::as_bytes(std::span(each)));
}

std::uint64_t SteeringChecksum(Directory directory, const Sections& sections) {
  directory.steering_checksum = 0;
  std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(&directory, 1))};
  parts.insert(parts.end(), sections.begin(), sections.begin() + kSteeringSections);
  parts.push_back(sections[kWithdrawn]);
  return ChecksumOf(parts);
}

// Of members and codes of the records [first, first + kBlockRecords).
std::uint64_t BlockChecksum(const SegmentView& segment, std::size_t columns, std::size_t first) {
  const std::size_t count = std::min(kBlockRecords, segment.members.size() - first);
  const std::uint64_t codes =
      std::visit([&](auto lanes) { return Checksum(std::as_bytes(lanes.subspan(first * columns, count * columns))); },
                 segment.codes);
  const std::array both = {Checksum(std::as_bytes(segment.members.subspan(first, count))), codes};
  return Checksum(std::as_bytes(std::span(both)));
}

std::vector<std::uint64_t> BlockChecksums(const SegmentView& segment, std::size_t columns) {
  std::vector<std::uint64_t> checksums;
  for (std::size_t first = 0; first < segment.members.size(); first += kBlockRecords)
    checksums.push_back(BlockChecksum(segment, columns, first));
  return checksums;
}

Sections SectionsOf(const SegmentView& segment, const SeriesIdentities& identities, std::string_view about,
                    std::span<const std::uint64_t> block_checksums) {
  Sections sections;
  sections[kBlockChecksums] = std::as_bytes(block_checksums);
  sections[kAbout] = std::as_bytes(std::span(about));
  sections[kNodes] = std::as_bytes(segment.nodes);
  sections[kSplits] = std::as_bytes(segment.splits);
  sections[kLeaves] = std::as_bytes(segment.leaves);
  sections[kMembers] = std::as_bytes(segment.members);
  sections[kCodes] = std::visit([](auto lanes) { return std::as_bytes(lanes); }, segment.codes);
  sections[kWithdrawn] = std::as_bytes(segment.withdrawn);
  sections[kHashes] = std::as_bytes(identities.hashes);
  sections[kMembersOfHashes] = std::as_bytes(identities.members);
  return sections;
}

std::uint64_t Aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T>
std::span<const T> As(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

std::optional<Sections> FindSections(const Directory& directory, std::span<const std::byte> payload) {
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
bool IsSound(const SegmentView& segment, const SeriesIdentities& identities, std::size_t columns,
             NodeNumber nodes_before, CaseNumber members_before) {
  const std::uint64_t nodes = std::uint64_t{nodes_before} + segment.nodes.size();
  const std::uint64_t members = std::uint64_t{members_before} + segment.new_members;
  const std::size_t codes = std::visit([](auto lanes) { return lanes.size(); }, segment.codes);
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
         identities.hashes.size() == identities.members.size() &&
         std::ranges::all_of(segment.withdrawn, [&](CaseNumber member) { return member < members_before; });
}

Error Damaged(const std::string& name, std::string_view what) {
  return {ErrorCode::kCorruptLedger,
          fmt::format("{}: the state of the series is damaged: {}. Restore the ledger from a backup.", name, what)};
}

}  // namespace

Result<StateFileRecord> WriteSeriesSegment(const std::filesystem::path& state_folder, std::string_view name,
                                           const SegmentView& segment, std::size_t columns,
                                           const SeriesIdentities& identities, std::string_view about) {
  const std::vector<std::uint64_t> block_checksums = BlockChecksums(segment, columns);
  const Sections sections = SectionsOf(segment, identities, about, block_checksums);
  Directory directory;
  directory.columns = static_cast<std::uint32_t>(columns);
  directory.bytes_per_code = std::visit([](auto lanes) { return std::uint32_t{sizeof(lanes[0])}; }, segment.codes);
  directory.new_members = segment.new_members;
  directory.identities_checksum = ChecksumOf(std::span(sections).subspan(kHashes, 2));
  std::uint64_t offset = Aligned(sizeof directory);
  for (std::size_t s = 0; s < kSections; ++s) {
    directory.places[s] = {offset, sections[s].size()};
    offset = Aligned(offset + sections[s].size());
  }
  directory.steering_checksum = SteeringChecksum(directory, sections);
  PENTIMENTO_ASSIGN(StateFileWriter writer, StateFileWriter::Create(state_folder, name, StateKind::kTree, 1));
  static_assert(std::has_unique_object_representations_v<Directory>);
  std::uint64_t written = sizeof directory;
  PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::as_bytes(std::span(&directory, 1))));
  constexpr std::array<std::byte, kAlignment> kPadding{};
  for (std::size_t s = 0; s < kSections; ++s) {
    PENTIMENTO_RETURN_IF_ERROR(writer.Append(std::span(kPadding).first(directory.places[s].offset - written)));
    PENTIMENTO_RETURN_IF_ERROR(writer.Append(sections[s]));
    written = directory.places[s].offset + sections[s].size();
  }
  return writer.Finish();
}

Result<SeriesSegment> SeriesSegment::Open(MappedStateFile file, NodeNumber nodes_before, CaseNumber members_before,
                                          const std::string& name) {
  SeriesSegment segment(std::move(file));
  PENTIMENTO_ASSIGN(const std::span<const std::byte> payload, segment.file_.Elements<std::byte>());
  Directory directory;
  if (payload.size() < sizeof directory) return Damaged(name, "it is too short");
  std::memcpy(&directory, payload.data(), sizeof directory);
  if (directory.version != kVersion) {
    return Error{
        ErrorCode::kStorage,
        fmt::format(
            "{}: the state of the series has version {}, this program reads {}. Use the Pentimento that wrote it; "
            "if there is none, restore the ledger from a backup.",
            name, directory.version, kVersion)};
  }
  const std::optional<Sections> sections = FindSections(directory, payload);
  if (!sections || (directory.bytes_per_code != 2 && directory.bytes_per_code != 4))
    return Damaged(name, "its directory does not fit");
  if (SteeringChecksum(directory, *sections) != directory.steering_checksum)
    return Damaged(name, "a checksum is wrong");
  segment.columns_ = directory.columns;
  SegmentView& view = segment.view_;
  view.nodes = As<RegionNode>((*sections)[kNodes]);
  view.splits = As<NodeSplit>((*sections)[kSplits]);
  view.leaves = As<LeafRecords>((*sections)[kLeaves]);
  view.members = As<CaseNumber>((*sections)[kMembers]);
  view.codes = directory.bytes_per_code == 2 ? CodeLanes(As<std::uint16_t>((*sections)[kCodes]))
                                             : CodeLanes(As<std::uint32_t>((*sections)[kCodes]));
  view.withdrawn = As<CaseNumber>((*sections)[kWithdrawn]);
  segment.block_checksums_ = As<std::uint64_t>((*sections)[kBlockChecksums]);
  segment.is_block_intact_.resize(segment.block_checksums_.size(), 0);
  view.new_members = directory.new_members;
  segment.identities_ = {As<IdentityHash>((*sections)[kHashes]), As<CaseNumber>((*sections)[kMembersOfHashes])};
  segment.identities_checksum_ = directory.identities_checksum;
  const auto about = As<char>((*sections)[kAbout]);
  segment.about_ = {about.data(), about.size()};
  const std::size_t blocks = (view.members.size() + kBlockRecords - 1) / kBlockRecords;
  if (segment.block_checksums_.size() != blocks ||
      !IsSound(view, segment.identities_, directory.columns, nodes_before, members_before))
    return Damaged(name, "it points outside of itself");
  return segment;
}

bool SeriesSegment::RecordsAreIntact(std::span<const LeafRecords> records) {
  for (const LeafRecords& leaf : records) {
    if (leaf.count == 0) continue;
    const std::size_t last = (std::size_t{leaf.begin} + leaf.count - 1) / kBlockRecords;
    for (std::size_t block = leaf.begin / kBlockRecords; block <= last; ++block) {
      // Two threads may look at one block at the same time, and come to the same answer.
      const std::atomic_ref is_intact(is_block_intact_[block]);
      if (is_intact.load(std::memory_order_relaxed) != 0) continue;
      if (BlockChecksum(view_, columns_, block * kBlockRecords) != block_checksums_[block]) return false;
      is_intact.store(1, std::memory_order_relaxed);
    }
  }
  return true;
}

bool SeriesSegment::IdentitiesAreIntact() const {
  const std::array sections = {std::as_bytes(identities_.hashes), std::as_bytes(identities_.members)};
  return ChecksumOf(sections) == identities_checksum_;
}

Result<StateFileRecord> WriteSeriesRowsState(const std::filesystem::path& state_folder, std::string_view name,
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
