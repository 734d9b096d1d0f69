// datapackage.json of a stranger's release, beside tables and taxonomies that are as they should be: read, measured,
// asked.
#include <vector>

#include "engine/measure.h"
#include "engine/published/manifest.h"
#include "engine/query/answer.h"
#include "engine/query/query.h"
#include "fuzz/fuzz.h"

using namespace pentimento;

namespace {

// The columns of the scenarios' releases, so that their manifests fit.
const std::filesystem::path& Original() {
  static const std::filesystem::path original = [] {
    fuzz::WriteFile("release/table.csv",
                    "case_id,group_id,age,job,sex,disease,outcome,note\n"
                    "53da6d542043231e,1,\"[0,35)\",*,Female,HIV,home,n105\n"
                    "250aef332fb97af2,1,\"[35,120]\",Care,Male,Measles,,n117\n"
                    "63c7caaff3fb39b4,2,37,Nurse,\"{Female|Male}\",Flu,home,n114\n");
    fuzz::WriteFile("release/nss.csv", "job,birth,postcode,class_id\nclerk,1955,5432,1\nmanager,1975,4350,1\n");
    fuzz::WriteFile("release/ss.csv", "class_id,illness,count\n1,HIV,1\n1,flu,1\n");
    fuzz::WriteFile("release/taxonomies/job.csv",
                    "Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\nclerk;white-collar;*\n"
                    "manager;white-collar;*\nfactory worker;blue-collar;*\n");
    fuzz::WriteFile("release/taxonomies/sex.csv", "Female;*\nMale;*\n");
    fuzz::WriteFile("release/taxonomies/birth.csv", "1940;*\n1955;*\n1975;*\n");
    fuzz::WriteFile("release/taxonomies/postcode.csv", "4350;*\n5432;*\n");
    return fuzz::WriteFile("original.csv",
                           "age,job,sex,birth,postcode,disease,illness\n37,Nurse,Female,1955,4350,Flu,flu\n"
                           "80,clerk,Male,1975,5432,HIV,HIV\n");
  }();
  return original;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Query> queries = {ParseQuery("count", "").value(),
                                             ParseQuery("count where job = Care and age < 50", "").value()};
  const std::filesystem::path original = Original();
  const std::filesystem::path folder =
      fuzz::WriteFile("release/datapackage.json", fuzz::TextOf(data, size)).parent_path();
  if (!fuzz::Took(ReadManifest(folder))) return 0;
  (void)fuzz::Took(MeasureRelease({original}, folder));
  for (const Query& query : queries) (void)fuzz::Took(AnswerQueries(folder, std::span(&query, 1), {original}, nullptr));
  return 0;
}
