#include "taxonomy/calendar.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "taxonomy/domain.h"
#include "taxonomy/taxonomy.h"

namespace pentimento::calendar_test {
namespace {

Domain Dates(std::string_view first, std::string_view last, bool allows_missing = false) {
  return Domain(
      std::make_shared<const Taxonomy>(MakeCalendarTaxonomy({ParseDay(first).value(), ParseDay(last).value()})),
      allows_missing);
}

// By its days, which are its leaves.
Code CodeOf(const Domain& domain, std::string_view day) { return domain.taxonomy().FindLeaf(day).value(); }
Interval Between(const Domain& domain, std::string_view first, std::string_view last) {
  return {CodeOf(domain, first), CodeOf(domain, last)};
}
std::string Published(const Domain& domain, std::string_view first, std::string_view last) {
  return domain.Label(domain.Cover(Between(domain, first, last), CategoryForm::kTaxonomy));
}

TEST(Calendar, EveryIntervalReadsBackAndNoTwoShareALabel) {
  // Across two leap years, with cut off units at both ends; within one month; around a decade.
  const Domain domains[] = {Dates("2023-12-15", "2024-04-02"), Dates("1999-12-30", "2000-03-02"),
                            Dates("2024-02-27", "2024-03-01"), Dates("2024-03-05", "2024-03-06")};
  for (const Domain& domain : domains) {
    std::map<std::string, Interval> written;
    for (Code lo = 0; lo < domain.value_count(); ++lo) {
      for (Code hi = lo; hi < domain.value_count(); ++hi) {
        const std::string label = domain.Label({lo, hi});
        EXPECT_EQ(domain.ParseLabel(label), (Interval{lo, hi})) << label;
        const auto [found, is_new] = written.try_emplace(label, Interval{lo, hi});
        EXPECT_TRUE(is_new) << label;
      }
    }
  }
}

TEST(Calendar, LongDomainsReadBackWhatTheyPublish) {
  const Domain domain = Dates("1895-06-15", "1924-03-05", true);
  std::map<std::string, Interval> written;
  for (Code lo = 0; lo < domain.value_count(); lo += 13) {
    for (Code hi = lo; hi < domain.value_count(); hi += 29) {
      const Interval cover = domain.Cover({lo, hi}, CategoryForm::kTaxonomy);
      EXPECT_TRUE(cover.Contains(Interval{lo, hi}));
      EXPECT_EQ(domain.Cover(cover, CategoryForm::kTaxonomy), cover);
      EXPECT_EQ(domain.Cover({lo, hi}, CategoryForm::kSets), cover);
      const std::string label = domain.Label(cover);
      EXPECT_EQ(domain.ParseLabel(label), cover) << label;
      EXPECT_EQ(written.try_emplace(label, cover).first->second, cover) << label;
    }
  }
}

// Series rely on it: a part of a region is published within what the region was published as.
TEST(Calendar, RunsOfPartsLieWithinTheRunOfTheWhole) {
  const Domain domain = Dates("2023-11-20", "2024-03-10");
  const auto cover = [&](Interval days) { return domain.Cover(days, CategoryForm::kTaxonomy); };
  for (Code lo = 0; lo < domain.value_count(); ++lo) {
    for (Code hi = lo; hi + 1 < domain.value_count(); ++hi) {
      EXPECT_TRUE(cover({lo, hi + 1}).Contains(cover({lo, hi})));
      EXPECT_TRUE(cover({lo > 0 ? lo - 1 : lo, hi}).Contains(cover({lo, hi})));
    }
  }
}

TEST(Calendar, PublishesDaysMonthsQuartersYearsAndRunsOfThem) {
  const Domain domain = Dates("1900-01-01", "2026-12-31");
  EXPECT_EQ(Published(domain, "2024-02-29", "2024-02-29"), "2024-02-29");
  EXPECT_EQ(Published(domain, "2024-03-05", "2024-03-09"), "2024-03-05..2024-03-09");
  EXPECT_EQ(Published(domain, "2024-03-01", "2024-03-31"), "2024-03");
  EXPECT_EQ(Published(domain, "2024-01-31", "2024-02-01"), "2024-01..2024-02");
  EXPECT_EQ(Published(domain, "2024-01-31", "2024-03-01"), "2024-Q1");
  EXPECT_EQ(Published(domain, "2024-03-31", "2024-04-01"), "2024-Q1..2024-Q2");
  EXPECT_EQ(Published(domain, "2024-03-31", "2024-12-01"), "2024");
  EXPECT_EQ(Published(domain, "1983-12-31", "1987-01-01"), "1983..1987");
  EXPECT_EQ(Published(domain, "1980-12-31", "1989-01-01"), "1980..1989");
  EXPECT_EQ(Published(domain, "1989-12-31", "1990-01-01"), "1980..1999");
  EXPECT_EQ(Published(domain, "2019-12-31", "2020-01-01"), "2010..2026");
  EXPECT_EQ(Published(domain, "1905-12-31", "2020-01-01"), "*");
}

TEST(Calendar, OfFewYearsHasNoDecades) {
  EXPECT_EQ(Published(Dates("2005-01-01", "2024-12-31"), "2009-06-01", "2010-06-01"), "2009..2010");
  EXPECT_EQ(Published(Dates("2004-01-01", "2024-12-31"), "2009-06-01", "2010-06-01"), "2004..2019");
  // A decade of which there is one year is that year.
  EXPECT_EQ(Published(Dates("1989-05-01", "2024-12-31"), "1989-06-01", "1989-12-31"), "1989");
  EXPECT_EQ(Published(Dates("1989-05-01", "2024-12-31"), "1989-06-01", "1990-01-01"), "1989..1999");
}

// Made without the builder of other taxonomies, and like one that it makes.
TEST(Calendar, IsTheTaxonomyOfItsText) {
  for (const auto& [first, last] : {std::pair("2019-11-20", "2024-03-05"), std::pair("1989-05-01", "2024-12-31"),
                                    std::pair("1969-12-30", "1970-01-02"), std::pair("1888-02-29", "1911-01-01")}) {
    const Domain domain = Dates(first, last);
    const Taxonomy& made = domain.taxonomy();
    const Taxonomy read = Taxonomy::Parse(made.ToText(), "calendar").value();
    ASSERT_EQ(made.nodes().size(), read.nodes().size());
    for (Taxonomy::NodeId id = 0; id < read.nodes().size(); ++id) {
      EXPECT_EQ(made.node(id).label, read.node(id).label);
      EXPECT_EQ(made.node(id).leaves, read.node(id).leaves);
      EXPECT_EQ(made.node(id).parent, read.node(id).parent);
      EXPECT_EQ(made.node(id).depth, read.node(id).depth);
      EXPECT_EQ(made.node(id).children, read.node(id).children);
      EXPECT_EQ(made.FindNode(read.node(id).label), id);
    }
    for (Code day = 0; day < read.leaf_count(); ++day) EXPECT_EQ(made.leaf_node(day), read.leaf_node(day));
  }
}

TEST(Calendar, UnitsThatTheDomainCutsOffHaveTheirDaysInIt) {
  const Domain domain = Dates("2024-02-15", "2024-11-03");
  EXPECT_EQ(domain.ParseLabel("2024-Q1"), Between(domain, "2024-02-15", "2024-03-31"));
  EXPECT_EQ(domain.ParseLabel("2024-11"), Between(domain, "2024-11-01", "2024-11-03"));
  EXPECT_EQ(domain.ParseLabel("2024"), Between(domain, "2024-02-15", "2024-11-03"));
  EXPECT_FALSE(domain.ParseLabel("2024-01"));
  EXPECT_FALSE(domain.ParseLabel("2023..2024"));
}

TEST(Calendar, ReadsNoOtherLabels) {
  const Domain domain = Dates("2020-01-01", "2024-12-31");
  for (const std::string_view label :
       {"2024-02..2024-01", "2024-Q1..2024-03", "2024-01..2024-Q2", "2024..2024-02", "2024-1", "2024-Q5", "2024-02-30",
        "2023-02-29", "2025", "..2024", "2024..", "..", "2024-01 .. 2024-02", "[2024-01,2024-02]", "{2024-01|2024-02}",
        "20240305", "2024-q1", "2024-01..2024-02..2024-03"})
    EXPECT_FALSE(domain.ParseLabel(label)) << label;
  // Two units need not be neighbours below one parent.
  EXPECT_EQ(domain.ParseLabel("2023-12..2024-02"), Between(domain, "2023-12-01", "2024-02-29"));
  EXPECT_EQ(domain.ParseLabel("2024-03..2024-03"), domain.ParseLabel("2024-03"));
}

TEST(Calendar, MissingDatesStandUnderTheRoot) {
  const Domain domain = Dates("2020-01-01", "2024-12-31", true);
  const Code missing = *domain.missing_code();
  EXPECT_EQ(domain.Label({missing, missing}), "");
  EXPECT_EQ(domain.Cover({5, missing}, CategoryForm::kTaxonomy), domain.root());
  EXPECT_EQ(domain.Label(domain.root()), "*");
}

TEST(Calendar, LossIsTheShareOfTheDays) {
  const Domain domain = Dates("2023-01-01", "2024-12-31");
  const auto width = [&](std::string_view label) { return domain.RelativeWidth(domain.ParseLabel(label).value()); };
  EXPECT_EQ(width("2024-03-05"), 0);
  EXPECT_DOUBLE_EQ(width("2024-02"), 29.0 / 731);
  EXPECT_DOUBLE_EQ(width("2024"), 366.0 / 731);
  EXPECT_EQ(width("*"), 1);
  const auto depth = [&](std::string_view label) { return domain.Depth(domain.ParseLabel(label).value()); };
  EXPECT_EQ(depth("2024-03-05"), 4U);
  EXPECT_EQ(depth("2024-01..2024-02"), 2U);  // the quarter over them
  EXPECT_EQ(depth("2024"), 1U);
  EXPECT_EQ(depth("*"), 0U);
}

}  // namespace
}  // namespace pentimento::calendar_test
