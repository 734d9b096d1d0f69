#include "engine/generate/life.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace pentimento::people {
namespace {

// What a set of draws is about; the quarter it began is added where it can begin again.
enum Salt : std::uint64_t {
  kPerson = 0,
  kMarriage = 1,
  kChanges = 100,
  kJob = 200,
  kHome = 300,
  kDisease = 400,
  kVisit = 500
};

// By five years of age, youngest first, up to 89.
constexpr auto kAgeBandShares =
    std::to_array<std::uint32_t>({60, 61, 64, 65, 66, 70, 69, 67, 63, 62, 63, 65, 62, 54, 43, 30, 19, 12});
constexpr std::uint32_t kQuartersPerBand = 20;

constexpr std::uint32_t kSchoolAge = 6;
constexpr std::uint32_t kAdultAge = 18;
constexpr std::uint32_t kOldAge = 65;

// Chances in a thousand, each quarter.
constexpr std::uint32_t kNewJob = 40;
constexpr std::uint32_t kNewHome = 25;

template <typename Entries, typename Share>
WeightedChoice ChoiceOf(const Entries& entries, Share share) {
  std::vector<std::uint32_t> shares;
  for (const auto& entry : entries) shares.push_back(share(entry));
  return WeightedChoice(shares);
}

WeightedChoice JobsOfTier(std::size_t tier) {
  return ChoiceOf(Jobs(), [tier](const Job& job) { return job.share[tier]; });
}
WeightedChoice DiseasesOfAge(std::size_t age_class) {
  return ChoiceOf(Diseases(), [age_class](const Disease& disease) { return disease.share[age_class]; });
}
WeightedChoice PassingDiseasesOfAge(std::size_t age_class) {
  return ChoiceOf(Diseases(),
                  [age_class](const Disease& disease) { return disease.stays ? 0 : disease.share[age_class]; });
}

std::size_t AgeClass(std::uint32_t age) { return age < kAdultAge ? 0 : age < kOldAge ? 1 : 2; }

// Somebody at school has what the age allows, and in the end what was drawn.
std::uint32_t EducationAt(std::uint32_t age, std::uint32_t in_the_end) {
  while (Educations()[in_the_end].age_at_least > age) --in_the_end;
  return in_the_end;
}

// One marriage at most, which may end: parted people are separated for a year, then divorced.
Marital MaritalAt(std::uint64_t life, std::uint32_t age_in_quarters) {
  Draws draws(life, kMarriage);
  const std::uint32_t wedding = 4 * 19 + draws.Below(44) + draws.Below(44);
  const std::uint32_t end = wedding + 4 + draws.Below(4 * 60);
  const bool marries = draws.Chance(820);
  const bool parts = draws.Chance(480);
  const std::uint32_t kind = draws.Below(1000);
  if (!marries || age_in_quarters < wedding) return kNeverMarried;
  if (age_in_quarters >= end && end >= 4 * kOldAge) return kWidowed;
  if (age_in_quarters >= end && parts) return age_in_quarters < end + 4 ? kSeparated : kDivorced;
  return kind < 40 ? kPartnership : kind < 65 ? kSpouseAbsent : kMarried;
}

// What age makes of somebody's occupation, or `career` for those in the middle of life.
std::uint32_t JobAt(std::uint32_t age, std::uint32_t schooling, std::uint32_t retirement, std::uint32_t career) {
  const JobByAge& by_age = JobsByAge();
  const std::uint32_t leaves_school = std::max(kAdultAge, Educations()[schooling].age_at_least);
  if (age < kSchoolAge) return static_cast<std::uint32_t>(by_age.preschool_child);
  if (age < kAdultAge) return static_cast<std::uint32_t>(by_age.pupil);
  if (age < leaves_school) return static_cast<std::uint32_t>(by_age.student);
  if (age >= retirement) return static_cast<std::uint32_t>(by_age.retired);
  return career;
}

// A sum of points with some luck, so that it can be learned, but not perfectly.
bool HasHighIncome(const Record& record, Draws& draws) {
  const std::uint32_t luck = draws.Below(28) + draws.Below(28);
  if (record.age < kAdultAge || record.hours == 0) return luck + record.age / 8 >= 59;
  const std::uint32_t schooling = record.education * 2;
  const std::uint32_t pay = Jobs()[record.job].pay * 5;
  const std::uint32_t experience = std::min(record.age, 50U) / 2;
  const std::uint32_t effort = std::min(record.hours, 60U) / 2;
  const std::uint32_t household = record.marital == kMarried ? 12 : 0;
  return schooling + pay + experience + effort + household + luck >= 117;
}

}  // namespace

WeightedChoice::WeightedChoice(std::span<const std::uint32_t> shares) {
  const std::uint64_t total = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  Check(total > 0 && total <= UINT32_MAX, "shares must add up to a positive 32-bit number");
  total_ = static_cast<std::uint32_t>(total);

  // Every column holds `total` in the end: a scarce value is topped up from an ample one.
  std::vector<std::uint64_t> left(shares.size());
  std::vector<std::uint32_t> scarce, ample;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    left[i] = std::uint64_t{shares[i]} * shares.size();
    (left[i] < total ? scarce : ample).push_back(i);
  }
  columns_.resize(shares.size());
  while (!scarce.empty()) {
    const std::uint32_t poor = scarce.back(), rich = ample.back();
    scarce.pop_back();
    columns_[poor] = {static_cast<std::uint32_t>(left[poor]), rich};
    left[rich] -= total - left[poor];
    if (left[rich] < total) {
      ample.pop_back();
      scarce.push_back(rich);
    }
  }
  for (const std::uint32_t full : ample) columns_[full] = {total_, full};
}

// The quarters in which what is now on record began.
struct LifeModel::Since {
  std::uint32_t job;
  std::uint32_t home;
  std::uint32_t disease;

  Since(std::uint64_t life, std::uint32_t arrival, std::uint32_t quarter, std::uint32_t disease_stays)
      : job(arrival), home(arrival), disease(arrival) {
    for (std::uint32_t now = arrival + 1; now <= quarter; ++now) {
      Draws draws(life, kChanges + now);
      if (draws.Chance(kNewJob)) job = now;
      if (draws.Chance(kNewHome)) home = now;
      if (!draws.Chance(disease_stays)) disease = now;
    }
  }
};

LifeModel::LifeModel(std::uint32_t stays_in_a_thousand)
    : age_band_(kAgeBandShares),
      origin_(ChoiceOf(Countries(), [](const Country& country) { return country.share; })),
      schooling_(ChoiceOf(Educations(), [](const Education& education) { return education.share; })),
      zip_(ChoiceOf(ZipCodes(), [](const ZipCode& code) { return code.share; })),
      job_{JobsOfTier(0), JobsOfTier(1), JobsOfTier(2)},
      disease_{DiseasesOfAge(0), DiseasesOfAge(1), DiseasesOfAge(2)},
      passing_disease_{PassingDiseasesOfAge(0), PassingDiseasesOfAge(1), PassingDiseasesOfAge(2)},
      stays_in_a_thousand_(stays_in_a_thousand) {}

std::uint32_t LifeModel::HoursOf(std::uint32_t job, Draws& draws) const {
  const std::uint32_t part_time = 4 + draws.Below(20);
  const std::uint32_t spread = draws.Below(9) + draws.Below(9);  // around 8
  const std::uint32_t kind = draws.Below(1000);
  const std::uint32_t typical = Jobs()[job].weekly_hours;
  if (typical == 0) return job == JobsByAge().student && kind < 400 ? part_time : 0;
  if (kind < 120) return part_time;
  if (kind < 500 && typical >= 36 && typical <= 44) return 40;  // what most contracts say
  const std::uint32_t overtime = kind > 960 ? 25 : 0;
  return std::min(kMostHours, typical + spread + overtime - 8);
}

// By the age when it began: a disease does not change because somebody has a birthday.
std::uint32_t LifeModel::DiseaseOf(std::uint64_t life, std::uint32_t arrival, std::uint32_t since,
                                   std::uint32_t age_then, std::uint32_t age_on_arrival) const {
  Draws first(life, kDisease + arrival);
  const std::uint32_t came_with = disease_[AgeClass(age_on_arrival)].Pick(first);
  if (since == arrival || Diseases()[came_with].stays) return came_with;
  Draws later(life, kDisease + since);
  return passing_disease_[AgeClass(age_then)].Pick(later);
}

Record LifeModel::At(std::uint64_t life, std::uint32_t arrival, std::uint32_t quarter) const {
  const Since since(life, arrival, quarter, stays_in_a_thousand_);
  Draws person(life, kPerson);
  const std::uint32_t band = age_band_.Pick(person);
  const std::uint32_t age_in_quarters = band * kQuartersPerBand + person.Below(kQuartersPerBand) + (quarter - arrival);
  const std::uint32_t schooling = schooling_.Pick(person);
  const std::uint32_t retirement = 60 + person.Below(10);

  Record record;
  record.age = age_in_quarters / 4;
  record.sex = person.Below(2);
  record.origin = origin_.Pick(person);
  record.weight_in_cents = 20'000 + person.Below(150'000) + person.Below(150'000);
  record.education = EducationAt(record.age, schooling);
  record.marital = MaritalAt(life, age_in_quarters);

  Draws home(life, kHome + since.home);
  record.zip = zip_.Pick(home);

  Draws work(life, kJob + since.job);
  const std::uint32_t career = job_[Educations()[schooling].tier].Pick(work);
  record.job = JobAt(record.age, schooling, retirement, career);
  record.hours = HoursOf(record.job, work);
  record.high_income = HasHighIncome(record, work);

  const auto age_at = [&](std::uint32_t earlier) { return (age_in_quarters - (quarter - earlier)) / 4; };
  record.disease = DiseaseOf(life, arrival, since.disease, age_at(since.disease), age_at(arrival));

  Draws visit(life, kVisit + quarter);
  record.visit_day = visit.Below(kVisitDays);
  record.ward = 1 + (3 * record.disease + visit.Below(9)) % kWards;
  record.note = visit.Next();
  return record;
}

}  // namespace pentimento::people
