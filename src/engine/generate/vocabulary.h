// The words of the made-up register: jobs, schooling, countries, zip codes, diseases, with how common each is.
// They are the same for every seed, so the taxonomies written beside the data are the same as well, and series
// of one population can be compared. No label needs quoting in a taxonomy file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pentimento::people {

// A leaf with the two levels above it; the root is "*".
struct Branch {
  std::string_view label;
  std::string_view group;
  std::string_view top;
};

// How far somebody went at school, as far as it decides about the job.
inline constexpr std::size_t kSchoolingTiers = 3;

struct Job {
  Branch branch;
  std::array<std::uint32_t, kSchoolingTiers> share;  // among workers with low, middle and high schooling
  std::uint32_t weekly_hours;                        // typical; 0 for those outside work
  std::uint32_t pay;                                 // 0 (least) to 9
};

struct Education {
  Branch branch;
  std::uint32_t share;         // among adults, as what they leave school with
  std::uint32_t age_at_least;  // nobody has it before
  std::uint32_t tier;          // below kSchoolingTiers
};

struct Country {
  Branch branch;
  std::uint32_t share;
};

struct Disease {
  std::string_view label;
  std::array<std::uint32_t, 3> share;  // among children, adults and the old
  bool stays = false;                  // for good; all others come and go
};

// Jobs that follow from age or circumstances, by their place in Jobs().
struct JobByAge {
  std::size_t preschool_child;
  std::size_t pupil;
  std::size_t student;
  std::size_t retired;
};

enum Marital : std::uint8_t {
  kNeverMarried,
  kMarried,
  kPartnership,
  kSpouseAbsent,
  kSeparated,
  kDivorced,
  kWidowed,
};

std::span<const Job> Jobs();
const JobByAge& JobsByAge();
std::span<const Education> Educations();  // from the least to the most
std::span<const Country> Countries();
std::span<const Disease> Diseases();
std::span<const std::string_view> MaritalStatuses();  // by Marital
std::span<const std::string_view> Sexes();
std::span<const std::string_view> Remarks();  // fixed texts of the column note; some need quoting in CSV

struct ZipCode {
  std::string digits;
  std::uint32_t share;
};
// 2,000 codes: 20 regions (two digits) of 4 areas (three digits) of 25 codes, big cities first and denser.
const std::vector<ZipCode>& ZipCodes();

// Taxonomy files, one line per leaf.
std::string JobTaxonomy();
std::string EducationTaxonomy();
std::string CountryTaxonomy();
std::string ZipTaxonomy();  // by prefix: 13053;1305*;130**;13***;*

}  // namespace pentimento::people
