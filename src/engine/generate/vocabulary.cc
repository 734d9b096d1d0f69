#include "engine/generate/vocabulary.h"

namespace pentimento::people {
namespace {

constexpr std::string_view kCare = "Care and teaching";
constexpr std::string_view kOffice = "Offices";
constexpr std::string_view kTechnology = "Science and technology";
constexpr std::string_view kServices = "Trade and services";
constexpr std::string_view kProduction = "Production and transport";
constexpr std::string_view kOutside = "Outside work";

constexpr auto kJobs = std::to_array<Job>({
    {{"Physician", "Health", kCare}, {0, 0, 40}, 50, 9},
    {{"Dentist", "Health", kCare}, {0, 0, 12}, 42, 9},
    {{"Pharmacist", "Health", kCare}, {0, 0, 15}, 40, 7},
    {{"Nurse", "Health", kCare}, {2, 50, 40}, 38, 4},
    {{"Paramedic", "Health", kCare}, {2, 14, 4}, 42, 3},
    {{"Care worker", "Health", kCare}, {50, 30, 4}, 32, 1},
    {{"University lecturer", "Teaching", kCare}, {0, 0, 25}, 45, 6},
    {{"School teacher", "Teaching", kCare}, {0, 4, 90}, 42, 5},
    {{"Nursery teacher", "Teaching", kCare}, {4, 24, 12}, 34, 2},
    {{"Social worker", "Social work", kCare}, {2, 14, 24}, 38, 3},
    {{"Counsellor", "Social work", kCare}, {0, 4, 12}, 36, 4},
    {{"Executive manager", "Management", kOffice}, {1, 12, 40}, 50, 9},
    {{"Project manager", "Management", kOffice}, {2, 24, 50}, 45, 7},
    {{"Shift manager", "Management", kOffice}, {12, 28, 8}, 44, 4},
    {{"Accountant", "Finance and law", kOffice}, {2, 30, 40}, 42, 6},
    {{"Bank clerk", "Finance and law", kOffice}, {2, 28, 14}, 39, 4},
    {{"Insurance agent", "Finance and law", kOffice}, {4, 20, 8}, 41, 4},
    {{"Lawyer", "Finance and law", kOffice}, {0, 0, 30}, 50, 9},
    {{"Secretary", "Administration", kOffice}, {16, 60, 10}, 37, 2},
    {{"Office clerk", "Administration", kOffice}, {24, 70, 20}, 38, 2},
    {{"Receptionist", "Administration", kOffice}, {20, 24, 4}, 34, 1},
    {{"Civil engineer", "Engineering", kTechnology}, {0, 2, 26}, 43, 7},
    {{"Mechanical engineer", "Engineering", kTechnology}, {0, 3, 28}, 43, 7},
    {{"Electrical engineer", "Engineering", kTechnology}, {0, 3, 24}, 43, 7},
    {{"Architect", "Engineering", kTechnology}, {0, 0, 14}, 46, 6},
    {{"Technician", "Engineering", kTechnology}, {14, 50, 8}, 40, 4},
    {{"Software developer", "Computing", kTechnology}, {1, 18, 60}, 42, 8},
    {{"Data analyst", "Computing", kTechnology}, {0, 8, 26}, 40, 7},
    {{"System administrator", "Computing", kTechnology}, {2, 22, 18}, 41, 6},
    {{"Biologist", "Research", kTechnology}, {0, 0, 10}, 42, 5},
    {{"Chemist", "Research", kTechnology}, {0, 1, 12}, 42, 6},
    {{"Laboratory assistant", "Research", kTechnology}, {6, 18, 10}, 38, 3},
    {{"Shop assistant", "Sales", kServices}, {90, 70, 6}, 32, 1},
    {{"Cashier", "Sales", kServices}, {70, 30, 2}, 28, 0},
    {{"Sales representative", "Sales", kServices}, {20, 50, 24}, 43, 5},
    {{"Shop owner", "Sales", kServices}, {14, 20, 8}, 52, 4},
    {{"Cook", "Hospitality", kServices}, {60, 30, 2}, 42, 1},
    {{"Waiter", "Hospitality", kServices}, {64, 24, 3}, 30, 0},
    {{"Hairdresser", "Personal services", kServices}, {24, 26, 1}, 34, 1},
    {{"Cleaner", "Personal services", kServices}, {90, 16, 1}, 28, 0},
    {{"Security guard", "Personal services", kServices}, {34, 20, 2}, 42, 2},
    {{"Police officer", "Public safety", kServices}, {2, 26, 12}, 42, 5},
    {{"Firefighter", "Public safety", kServices}, {3, 16, 2}, 48, 4},
    {{"Soldier", "Public safety", kServices}, {8, 18, 6}, 46, 3},
    {{"Bricklayer", "Construction", kProduction}, {50, 16, 0}, 42, 2},
    {{"Carpenter", "Construction", kProduction}, {40, 28, 1}, 42, 3},
    {{"Electrician", "Construction", kProduction}, {26, 40, 2}, 42, 4},
    {{"Plumber", "Construction", kProduction}, {26, 32, 1}, 43, 4},
    {{"Machine operator", "Manufacturing", kProduction}, {80, 40, 2}, 41, 2},
    {{"Welder", "Manufacturing", kProduction}, {36, 24, 0}, 42, 3},
    {{"Warehouse worker", "Manufacturing", kProduction}, {90, 30, 2}, 40, 1},
    {{"Truck driver", "Transport", kProduction}, {76, 36, 2}, 50, 3},
    {{"Bus driver", "Transport", kProduction}, {30, 16, 1}, 40, 2},
    {{"Courier", "Transport", kProduction}, {44, 18, 3}, 36, 0},
    {{"Pilot", "Transport", kProduction}, {0, 1, 5}, 38, 9},
    {{"Farmer", "Farming", kProduction}, {34, 20, 6}, 56, 2},
    {{"Gardener", "Farming", kProduction}, {36, 12, 2}, 36, 1},
    {{"Preschool child", "In education", kOutside}, {0, 0, 0}, 0, 0},
    {{"Pupil", "In education", kOutside}, {0, 0, 0}, 0, 0},
    {{"Student", "In education", kOutside}, {0, 0, 0}, 0, 0},
    {{"Unemployed", "Not employed", kOutside}, {160, 70, 30}, 0, 0},
    {{"Homemaker", "Not employed", kOutside}, {150, 80, 40}, 0, 0},
    {{"Unable to work", "Not employed", kOutside}, {80, 34, 12}, 0, 0},
    {{"Retired", "Not employed", kOutside}, {0, 0, 0}, 0, 0},
});

constexpr std::string_view kCompulsory = "Compulsory schooling";
constexpr std::string_view kSecondary = "Secondary schooling";
constexpr std::string_view kHigher = "Higher education";

constexpr auto kEducations = std::to_array<Education>({
    {{"No schooling", "Early years", kCompulsory}, 4, 0, 0},
    {{"Nursery school", "Early years", kCompulsory}, 2, 3, 0},
    {{"Grades 1-4", "Elementary school", kCompulsory}, 10, 6, 0},
    {{"Grades 5-8", "Elementary school", kCompulsory}, 28, 10, 0},
    {{"Grade 9", "High school grades", kSecondary}, 18, 14, 0},
    {{"Grade 10", "High school grades", kSecondary}, 28, 15, 0},
    {{"Grade 11", "High school grades", kSecondary}, 34, 16, 0},
    {{"Grade 12", "High school grades", kSecondary}, 16, 17, 0},
    {{"High school diploma", "Completed secondary", kSecondary}, 310, 18, 1},
    {{"Vocational certificate", "Completed secondary", kSecondary}, 60, 19, 1},
    {{"Some college", "Undergraduate", kHigher}, 190, 19, 1},
    {{"Associate degree", "Undergraduate", kHigher}, 65, 20, 1},
    {{"Bachelor", "Undergraduate", kHigher}, 165, 22, 2},
    {{"Master", "Graduate", kHigher}, 60, 24, 2},
    {{"Professional degree", "Graduate", kHigher}, 18, 25, 2},
    {{"Doctorate", "Graduate", kHigher}, 12, 27, 2},
});

constexpr std::string_view kAmerica = "America";
constexpr std::string_view kEurope = "Europe";
constexpr std::string_view kAsia = "Asia";
constexpr std::string_view kAfrica = "Africa";
constexpr std::string_view kOceania = "Oceania";

constexpr auto kCountries = std::to_array<Country>({
    {{"United States", "North America", kAmerica}, 8000},
    {{"Canada", "North America", kAmerica}, 70},
    {{"Mexico", "North America", kAmerica}, 560},
    {{"Cuba", "Caribbean", kAmerica}, 70},
    {{"Dominican Republic", "Caribbean", kAmerica}, 60},
    {{"Haiti", "Caribbean", kAmerica}, 36},
    {{"Jamaica", "Caribbean", kAmerica}, 40},
    {{"El Salvador", "Central America", kAmerica}, 74},
    {{"Guatemala", "Central America", kAmerica}, 60},
    {{"Honduras", "Central America", kAmerica}, 40},
    {{"Brazil", "South America", kAmerica}, 30},
    {{"Colombia", "South America", kAmerica}, 46},
    {{"Ecuador", "South America", kAmerica}, 26},
    {{"Peru", "South America", kAmerica}, 26},
    {{"England", "Western Europe", kEurope}, 40},
    {{"France", "Western Europe", kEurope}, 16},
    {{"Germany", "Western Europe", kEurope}, 56},
    {{"Ireland", "Western Europe", kEurope}, 12},
    {{"Greece", "Southern Europe", kEurope}, 12},
    {{"Italy", "Southern Europe", kEurope}, 34},
    {{"Portugal", "Southern Europe", kEurope}, 16},
    {{"Spain", "Southern Europe", kEurope}, 10},
    {{"Poland", "Eastern Europe", kEurope}, 36},
    {{"Romania", "Eastern Europe", kEurope}, 14},
    {{"Russia", "Eastern Europe", kEurope}, 34},
    {{"Ukraine", "Eastern Europe", kEurope}, 32},
    {{"China", "Eastern Asia", kAsia}, 150},
    {{"Japan", "Eastern Asia", kAsia}, 30},
    {{"South Korea", "Eastern Asia", kAsia}, 60},
    {{"India", "Southern Asia", kAsia}, 170},
    {{"Iran", "Southern Asia", kAsia}, 26},
    {{"Pakistan", "Southern Asia", kAsia}, 28},
    {{"Philippines", "South-eastern Asia", kAsia}, 130},
    {{"Thailand", "South-eastern Asia", kAsia}, 16},
    {{"Vietnam", "South-eastern Asia", kAsia}, 86},
    {{"Ethiopia", "Eastern Africa", kAfrica}, 20},
    {{"Kenya", "Eastern Africa", kAfrica}, 10},
    {{"Nigeria", "Western Africa", kAfrica}, 28},
    {{"Ghana", "Western Africa", kAfrica}, 12},
    {{"Egypt", "Northern Africa", kAfrica}, 14},
    {{"Australia", "Australia and islands", kOceania}, 8},
    {{"New Zealand", "Australia and islands", kOceania}, 2},
});

// The last ones are rare on purpose: they are what a guarantee on sensitive values has to work for.
constexpr auto kDiseases = std::to_array<Disease>({
    {"Flu", {3400, 1900, 1300}},
    {"Hypertension", {20, 1500, 2700}},
    {"Back pain", {60, 1600, 1000}},
    {"Bronchitis", {2200, 1000, 900}},
    {"Diabetes", {80, 700, 1500}, true},
    {"Gastritis", {1500, 900, 600}},
    {"Asthma", {1700, 600, 300}},
    {"Migraine", {500, 800, 200}},
    {"Depression", {200, 600, 350}},
    {"Pneumonia", {300, 150, 600}},
    {"Cancer", {15, 120, 480}, true},
    {"Hepatitis", {10, 60, 30}},
    {"HIV", {2, 40, 10}, true},
    {"Tuberculosis", {5, 10, 10}, true},
});

constexpr auto kMarital = std::to_array<std::string_view>(
    {"Never married", "Married", "Registered partnership", "Spouse absent", "Separated", "Divorced", "Widowed"});

constexpr auto kSexes = std::to_array<std::string_view>({"Female", "Male"});

constexpr auto kRemarks = std::to_array<std::string_view>({
    "stable",        "no change",      "improving",     "follow-up",     "next week",
    "see referral",  "blood test",     "X-ray done",    "discharged",    "call back",
    "second visit",  "allergy, mild",  "rest, fluids",  "cough, fever",  "pain, left arm",
    "says \"fine\"", "\"same\" again", "dose 5 mg, 2x", "fièvre légère", "keine Änderung",
});

constexpr std::size_t kRegions = 20;
constexpr std::size_t kAreasPerRegion = 4;
constexpr std::size_t kCodesPerArea = 25;

constexpr std::size_t FindJob(std::string_view label) {
  std::size_t found = 0;
  while (kJobs[found].branch.label != label) ++found;
  return found;
}

constexpr JobByAge kJobByAge = {FindJob("Preschool child"), FindJob("Pupil"), FindJob("Student"), FindJob("Retired")};

std::vector<ZipCode> MakeZipCodes() {
  std::vector<ZipCode> codes;
  codes.reserve(kRegions * kAreasPerRegion * kCodesPerArea);
  for (std::size_t region = 0; region < kRegions; ++region) {
    for (std::size_t area = 0; area < kAreasPerRegion; ++area) {
      for (std::size_t code = 0; code < kCodesPerArea; ++code) {
        // No leading zero, which readers that guess types would drop; the areas of a region leave gaps, as real ones
        // do.
        const std::size_t number = (10 + 4 * region) * 1000 + (3 * area) * 100 + 4 * code + 1;
        const std::size_t share = 1'000'000 / ((region + 2) * (2 * area + 1) * (code + 8));
        codes.push_back({std::to_string(number), static_cast<std::uint32_t>(share)});
      }
    }
  }
  return codes;
}

void AppendLine(std::string& text, const Branch& branch) {
  for (const std::string_view label : {branch.label, branch.group, branch.top}) {
    text += label;
    text += ';';
  }
  text += "*\n";
}

template <typename Entry>
std::string TaxonomyOf(std::span<const Entry> entries) {
  std::string text;
  for (const Entry& entry : entries) AppendLine(text, entry.branch);
  return text;
}

}  // namespace

std::span<const Job> Jobs() { return kJobs; }
const JobByAge& JobsByAge() { return kJobByAge; }
std::span<const Education> Educations() { return kEducations; }
std::span<const Country> Countries() { return kCountries; }
std::span<const Disease> Diseases() { return kDiseases; }
std::span<const std::string_view> MaritalStatuses() { return kMarital; }
std::span<const std::string_view> Sexes() { return kSexes; }
std::span<const std::string_view> Remarks() { return kRemarks; }

const std::vector<ZipCode>& ZipCodes() {
  static const std::vector<ZipCode> codes = MakeZipCodes();
  return codes;
}

std::string JobTaxonomy() { return TaxonomyOf(Jobs()); }
std::string EducationTaxonomy() { return TaxonomyOf(Educations()); }
std::string CountryTaxonomy() { return TaxonomyOf(Countries()); }

std::string ZipTaxonomy() {
  std::string text;
  for (const ZipCode& code : ZipCodes()) {
    text += code.digits;
    for (std::size_t kept = 4; kept >= 2; --kept) {
      text += ';';
      text.append(code.digits, 0, kept);
      text.append(5 - kept, '*');
    }
    text += ";*\n";
  }
  return text;
}

}  // namespace pentimento::people
