#include "engine/xy/common_columns.h"

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Releases = std::set<std::uint32_t>;

class CommonFinder {
 public:
  CommonFinder(const Policy& policy, const ReleaseColumns& columns, const std::vector<NamedClaim>& claims)
      : policy_(policy), columns_(columns), claims_(claims) {
    for (const NamedClaim& claim : claims) overlap_.insert(claim.overlap.begin(), claim.overlap.end());
  }

  Result<CommonColumns> Run() {
    std::set<std::string> seen;
    for (std::uint32_t release = 0; release < columns_.release_count(); ++release) {
      for (const NamedColumn& column : columns_.columns(release)) {
        if (!seen.insert(column.name).second) continue;
        for (const Releases& joined : JoinedReleasesWith(column.name)) {
          if (joined.size() > 1) PENTIMENTO_RETURN_IF_ERROR(Take(column.name, joined));
        }
      }
    }
    for (const NamedClaim& claim : claims_) PENTIMENTO_RETURN_IF_ERROR(CheckOverlap(claim));
    for (const NamedClaim& claim : claims_) PENTIMENTO_RETURN_IF_ERROR(CheckSameOverlap(claim));
    return std::move(common_);
  }

 private:
  // The releases that have the column, those together that some guarantee joins with each other.
  std::vector<Releases> JoinedReleasesWith(const std::string& name) const {
    std::vector<Releases> parts;
    for (const NamedClaim& claim : claims_) {
      Releases joined;
      for (std::uint32_t release = 0; release < columns_.release_count(); ++release) {
        if (claim.Joins(release) && columns_.Find(release, name)) joined.insert(release);
      }
      std::erase_if(parts, [&](const Releases& part) {
        const bool meets = std::ranges::any_of(part, [&](std::uint32_t release) { return joined.contains(release); });
        if (meets) joined.insert(part.begin(), part.end());
        return meets;
      });
      parts.push_back(std::move(joined));
    }
    return parts;
  }

  Status Take(const std::string& name, const Releases& releases) {
    JoinAttribute all{name, {}, false}, texts{name, {}, false};
    bool has_categories = false;
    for (const std::uint32_t release : releases) {
      const ColumnPlace place = *columns_.Find(release, name);
      const CellForm form = columns_.at(place).form;
      all.columns.push_back(place);
      all.has_numbers |= form == CellForm::kNumbers;
      has_categories |= form == CellForm::kCategories;
      if (form == CellForm::kTexts && columns_.at(place).can_join) texts.columns.push_back(place);
    }
    if (releases.contains(0)) PENTIMENTO_RETURN_IF_ERROR(CheckHere(all, has_categories));
    const auto unknown = [&](ColumnPlace place) { return !columns_.at(place).can_join; };
    if (std::ranges::any_of(all.columns, unknown) && !all.has_numbers) {
      std::erase_if(all.columns, unknown);
      if (all.columns.size() < 2) return {};
    }
    if (!all.has_numbers || (overlap_.contains(name) && !has_categories)) {
      common_.joined.push_back(std::move(all));
      return {};
    }
    common_.apart.push_back(std::move(all));
    if (texts.columns.size() > 1) common_.joined.push_back(std::move(texts));
    return {};
  }

  // What is out already cannot be made otherwise; a column of the new release can.
  Status CheckHere(const JoinAttribute& attribute, bool has_categories) const {
    const NamedColumn& here = columns_.at(attribute.columns.front());
    const std::string there = columns_.ReleaseWritten(attribute.columns[1].release);
    if (here.role == Role::kKeep) {
      return PolicyError(
          policy_, here.position,
          fmt::format("column '{}' has the role keep and stands in {} as well: its cells would link "
                      "records directly, unchecked; make it a quasi-identifier, drop it, or rename it if "
                      "it is something else",
                      here.name, there));
    }
    if (!attribute.has_numbers || !has_categories) return {};
    return PolicyError(
        policy_, here.position,
        fmt::format("column '{}' is a column of numbers in one release and of categories in another ({}), "
                    "so its values cannot be compared; declare it as it was declared there, drop it, or "
                    "rename it if it is something else",
                    here.name, there));
  }

  Status CheckOverlap(const NamedClaim& claim) const {
    for (const std::string& name : claim.overlap) {
      const auto is_it = [&](const JoinAttribute& attribute) { return attribute.name == name; };
      const auto joined = std::ranges::find_if(common_.joined, is_it);
      if (joined != common_.joined.end() && joined->has_numbers) continue;
      std::vector<std::string> numbers;
      for (const auto* list : {&common_.joined, &common_.apart}) {
        for (const JoinAttribute& attribute : *list) {
          if (attribute.has_numbers) numbers.push_back(attribute.name);
        }
      }
      return PolicyError(
          policy_, claim.position,
          fmt::format("overlap names '{}', which is not a column of numbers that several of the releases "
                      "have; take it out, or name such a column.{}",
                      name, DidYouMean(name, numbers)));
    }
    return {};
  }

  // There is one join for all guarantees. One that did not say by which numbers it matches would promise another join
  // than the one that is judged.
  Status CheckSameOverlap(const NamedClaim& claim) const {
    for (const JoinAttribute& attribute : common_.joined) {
      if (!attribute.has_numbers || std::ranges::find(claim.overlap, attribute.name) != claim.overlap.end()) continue;
      const auto joined = std::ranges::count_if(attribute.columns,
                                                [&](const ColumnPlace& place) { return claim.Joins(place.release); });
      if (joined < 2) continue;
      return PolicyError(policy_, claim.position,
                         fmt::format("another guarantee matches '{0}' by overlap, and all guarantees of a policy are "
                                     "about one join; write '{0}' under overlap here as well, or nowhere",
                                     attribute.name));
    }
    return {};
  }

  const Policy& policy_;
  const ReleaseColumns& columns_;
  const std::vector<NamedClaim>& claims_;
  std::set<std::string> overlap_;  // of all guarantees: there is one join
  CommonColumns common_;
};

Status CheckBothSides(const Policy& policy, const ReleaseColumns& columns, const JoinAttribute& attribute,
                      const NamedClaim& claim) {
  std::optional<NamedPlace> there;
  std::optional<ColumnPlace> lacking;
  for (const ColumnPlace place : attribute.columns) {
    if (!claim.Joins(place.release)) continue;
    const auto found = std::ranges::find(claim.x, place, &NamedPlace::place);
    if (found != claim.x.end()) there = *found;
    if (found == claim.x.end() && !lacking) lacking = place;
  }
  if (!there || !lacking) return {};
  return PolicyError(
      policy, there->position,
      fmt::format("x holds '{}', a common column, on one side only: the other side may be more specific; "
                  "add '{}' to x, or take '{}' out",
                  columns.Written(there->place), columns.Written(*lacking), columns.Written(there->place)));
}

Status CheckDisjoint(const Policy& policy, const ReleaseColumns& columns, const NamedClaim& claim) {
  for (const NamedPlace& y : claim.y) {
    if (y.place.column == ColumnPlace::kWho) continue;
    for (const NamedPlace& x : claim.x) {
      if (columns.at(x.place).name != columns.at(y.place).name) continue;
      const std::string what = x.place == y.place ? fmt::format("'{}' stands in x and in y", columns.Written(x.place))
                                                  : fmt::format("'{}' in y is the other side's copy of '{}' in x",
                                                                columns.Written(y.place), columns.Written(x.place));
      return PolicyError(policy, y.position,
                         fmt::format("{}: who knows one knows the other; take it out of one of them", what));
    }
  }
  return {};
}

}  // namespace

Result<CommonColumns> FindCommonColumns(const Policy& policy, const ReleaseColumns& columns,
                                        const std::vector<NamedClaim>& claims) {
  return CommonFinder(policy, columns, claims).Run();
}

Status CheckSides(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                  const std::vector<NamedClaim>& claims) {
  for (const NamedClaim& claim : claims) {
    PENTIMENTO_RETURN_IF_ERROR(CheckDisjoint(policy, columns, claim));
    for (const JoinAttribute& attribute : common.joined) {
      PENTIMENTO_RETURN_IF_ERROR(CheckBothSides(policy, columns, attribute, claim));
    }
  }
  return {};
}

}  // namespace pentimento
