#include "engine/composition/composition_json.h"

#include <gtest/gtest.h>

namespace pentimento::composition_json_test {
namespace {

CompositionOutcome Measured() {
  CompositionOutcome composition;
  composition.releases = {{"r1", "", 12}, {"city-deal", "", 9, true, true}, {"q4", "quarters", 7}};
  composition.unknown = {{"lost-folder", "/secret/place is not known", std::nullopt}, {"old", "no classes", 3}};
  composition.k = 5;
  composition.people = 40;
  composition.crowds = {6, 2, 1};
  composition.already_below_k = 4;
  composition.crowds_are_exact = false;
  composition.joint = {17, 13, 1};
  composition.certain = {{"disease", 3, true}, {"income", 1, false}};
  composition.not_compared = {"note"};
  composition.minimal_sets = {{"r1", "city-deal"}};
  composition.has_every_set = false;
  composition.broken = {{"city-deal", "k = 5", true}, {"r1", "alpha = 1/2 of 'disease'", false}};
  composition.refuses_broken = true;
  composition.other_people = {"visitors"};
  return composition;
}

TEST(CompositionJsonTest, WhatIsWrittenIsReadAgain) {
  CompositionOutcome unknown_alone;
  unknown_alone.unknown = {{"old", "no classes", 3}};
  CompositionOutcome asserted_alone;
  asserted_alone.other_people = {"visitors"};
  for (const CompositionOutcome& composition : {Measured(), unknown_alone, asserted_alone}) {
    const std::string json = CompositionJson(composition);
    const std::optional<CompositionOutcome> read = ParseComposition(json);
    ASSERT_TRUE(read) << json;
    EXPECT_EQ(CompositionJson(read), json);
  }
}

TEST(CompositionJsonTest, NothingOnRecordIsNullAndWhatNobodyCanTellIsNoNumber) {
  EXPECT_EQ(CompositionJson(std::nullopt), "null");
  EXPECT_EQ(PublicCompositionJson(std::nullopt), "null");
  EXPECT_FALSE(ParseComposition("null"));
  CompositionOutcome composition;
  composition.unknown = {{"old", "no classes", std::nullopt}};
  const std::string json = CompositionJson(composition);
  EXPECT_NE(json.find(R"("people":null)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("crowds":null)"), std::string::npos) << json;
  EXPECT_EQ(PublicCompositionJson(composition),
            R"({"with":[],"with_imported":0,"cannot_be_told":1,"k":null,"crowds":null,"certain":null,"broken":null})");
}

TEST(CompositionJsonTest, OtherTextsAreNotBelieved) {
  for (const char* text : {"", "[]", "{}", "3", R"({"releases": 1, "unknown": []})",
                           R"({"releases": [{"release": "a", "people": -1}], "unknown": [], "other_people": []})",
                           R"({"releases": [{"release": "a", "people": 1}], "unknown": [], "other_people": []})"})
    EXPECT_FALSE(ParseComposition(text)) << text;
}

TEST(CompositionJsonTest, WhatIsPublicNamesNoImportAndNoFolderAndCountsNobodyWhoIsShared) {
  EXPECT_EQ(PublicCompositionJson(Measured()),
            R"({"with":["r1","q4"],"with_imported":1,"cannot_be_told":2,"k":5,)"
            R"("crowds":{"below_k":6,"alone":2,"smallest":1,"exact":false},)"
            R"("certain":[{"column":"disease","people":3,"exact":true},{"column":"income","people":1,"exact":false}],)"
            R"("broken":[{"release":null,"promise":"k = 5","proved":true},)"
            R"({"release":"r1","promise":"alpha = 1/2 of 'disease'","proved":false}]})");
}

}  // namespace
}  // namespace pentimento::composition_json_test
