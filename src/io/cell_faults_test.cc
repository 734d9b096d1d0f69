#include "io/cell_faults.h"

#include <gtest/gtest.h>

#include <string>

namespace pentimento::cell_faults_test {
namespace {

TEST(LeafFaults, ACauseIsFoundWithoutTheValue) {
  const Taxonomy towns = Taxonomy::Parse("01067,Sachsen,*\n80331,Bayern,*\nZürich,CH,*\n5,CH,*\n", "towns").value();
  const LeafFaults faults(towns, {});
  const auto says = [&](const char* cell, const char* words) {
    const std::string what = faults(cell);
    EXPECT_NE(what.find(words), std::string::npos) << cell << ": " << what;
  };
  says(" 80331", "without the blanks around it");
  says("zürich", "in other letters");
  says("ZÜRICH", "in other letters");
  says("Zurich", "with other accents");
  says("Zu\u0308rich", "with other accents");
  says("1067", "with a leading zero");
  says("05", "with fewer zeros in front");
  says("5.0", "without the decimals");
  says("Bayern", "an inner node and not a leaf");
  says("2026-11-18", "looks like a date");
  says("NA", "a usual mark of a missing value");
  says("", "is empty");
  says("Wien", "holds a value that is not a leaf");
}

TEST(NumberFaults, ACauseIsFoundWithoutTheValue) {
  const auto says = [&](const char* cell, const char* words, char point = '.') {
    const std::string what = NumberFault(cell, {.decimal_point = point});
    EXPECT_NE(what.find(words), std::string::npos) << cell << ": " << what;
  };
  says("1,5", "it has a comma");
  says("1.234,5", "it has a point", ',');
  says("18.11.2026", "looks like a date");
  says("?", "a usual mark of a missing value");
  says("", "is empty");
  says("1234567890123456789", "more than 18 digits");
  says("12 kg", "something follows the digits");
  says("0x1F", "is not a number");
  says("twelve", "is not a number");
}

}  // namespace
}  // namespace pentimento::cell_faults_test
