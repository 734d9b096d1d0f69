#include "engine/global/account.h"

#include <gtest/gtest.h>

#include "guarantee/global/charge.h"
#include "ledger/ledger_testing.h"

namespace pentimento::account_test {
namespace {

using People = std::vector<IdentityHash>;
using Numbers = std::vector<std::uint32_t>;
using Costs = std::vector<LogCost>;

AccountItem Item(const std::string& value, std::uint64_t l = 2) { return {"disease", {value}, false, false, l}; }
Costs SpentOf(const Account& account) { return {account.spent().begin(), account.spent().end()}; }
Numbers AppearancesOf(const Account& account) { return {account.appearances().begin(), account.appearances().end()}; }

using Held = std::vector<HeldLast>;
Held HeldOf(const Account& account) { return {account.held_last().begin(), account.held_last().end()}; }
constexpr HeldLast kNo = HeldLast::kNo, kYes = HeldLast::kYes, kUnknown = HeldLast::kUnknown;
void Remember(Account& account, std::size_t person, std::size_t item, HeldLast held) {
  account.mutable_held_last()[person * account.items() + item] = held;
}

constexpr LogCost kUnit = kAppearanceMask + 1;

TEST(Account, PeopleStayInOrderAndKeepWhatTheySpent) {
  Account account;
  account.AddItems({Item("HIV"), Item("flu")});
  EXPECT_EQ(account.Join(People{{2, 0}, {5, 0}, {5, 1}}), (Numbers{0, 1, 2}));
  account.Charge(Numbers{0, 2}, {kUnit, 2 * kUnit, 0, 0, 5 * kUnit, 6 * kUnit}, {"q1", "", 2, {}});
  EXPECT_EQ(account.Join(People{{1, 9}, {5, 0}, {5, 1}, {7, 0}}), (Numbers{0, 2, 3, 4}));
  EXPECT_EQ(People(account.people().begin(), account.people().end()), (People{{1, 9}, {2, 0}, {5, 0}, {5, 1}, {7, 0}}));
  EXPECT_EQ(SpentOf(account), (Costs{0, 0, kUnit, 2 * kUnit, 0, 0, 5 * kUnit, 6 * kUnit, 0, 0}));
  EXPECT_EQ(AppearancesOf(account), (Numbers{0, 1, 0, 1, 0}));
  EXPECT_EQ(account.Join(People{}), Numbers());
  EXPECT_EQ(account.people().size(), 5U);
}

TEST(Account, PeopleWhoAreAllKnownAreFoundWhereTheyAre) {
  Account account;
  account.AddItems({Item("HIV")});
  People people;
  for (std::uint64_t person = 0; person < 50'000; ++person) people.push_back({person / 3, person});
  account.Join(people);
  Costs spent(people.size());
  for (std::size_t person = 0; person < people.size(); ++person) spent[person] = person * kUnit;
  account.Charge(Numbers{}, spent, {"q1", "", 0, {}});
  People some;
  Numbers expected;
  for (std::uint32_t person = 7; person < people.size(); person += 1 + person % 3) {
    some.push_back(people[person]);
    expected.push_back(person);
  }
  EXPECT_EQ(account.Join(some), expected);
  EXPECT_EQ(SpentOf(account), spent);
  // Somebody new at the very end moves nobody, but is there afterwards.
  some.push_back({60'000, 0});
  expected.push_back(50'000);
  EXPECT_EQ(account.Join(some), expected);
  EXPECT_EQ(account.people().size(), 50'001U);
  EXPECT_EQ(account.spent().back(), 0U);
}

TEST(Account, WhatIsLeftOnAverageIsThatOfThePeopleAskedFor) {
  Account account;
  account.AddItems({Item("HIV"), Item("flu", 3)});
  account.Join(People{{1, 0}, {2, 0}, {3, 0}});
  const LogCost two = BudgetOfLimit(2), three = BudgetOfLimit(3);
  // The second has spent more than there was.
  account.Charge(Numbers{0, 1, 2}, {kUnit, 0, two + kUnit, 5 * kUnit, 3 * kUnit, kUnit}, {"q1", "", 3, {}});
  EXPECT_EQ(account.MeanLeft(Numbers{2, 0, 1}), (Costs{(2 * two - 4 * kUnit) / 3, (3 * three - 6 * kUnit) / 3}));
  EXPECT_EQ(account.MeanLeft(Numbers{2}), (Costs{two - 3 * kUnit, three - kUnit}));
  EXPECT_EQ(account.MeanLeft(Numbers{}), (Costs{0, 0}));
}

TEST(Account, NothingIsSpentOnItemsThatAreNew) {
  Account account;
  account.AddItems({Item("HIV")});
  account.Join(People{{1, 0}, {2, 0}});
  account.Charge(Numbers{0, 1}, {3 * kUnit, 4 * kUnit}, {"q1", "", 2, {1}});
  account.AddItems({Item("flu"), Item("fever")});
  EXPECT_EQ(account.items(), 3U);
  EXPECT_EQ(SpentOf(account), (Costs{3 * kUnit, 0, 0, 4 * kUnit, 0, 0}));
  EXPECT_TRUE(account.about().items[2].Matches(Item("fever")));
}

TEST(Account, WhoIsNewIsNotKnownAndOthersKeepWhatTheyHadLast) {
  Account account;
  account.AddItems({Item("HIV"), Item("flu")});
  account.Join(People{{2, 0}, {5, 0}});
  EXPECT_EQ(HeldOf(account), (Held{kUnknown, kUnknown, kUnknown, kUnknown}));
  Remember(account, 1, 0, kYes);
  Remember(account, 1, 1, kNo);
  account.Join(People{{1, 0}, {7, 0}});
  EXPECT_EQ(HeldOf(account), (Held{kUnknown, kUnknown, kUnknown, kUnknown, kYes, kNo, kUnknown, kUnknown}));
}

TEST(Account, ANewValueOfAColumnWasHadByNobodyWhoIsKnown) {
  Account account;
  account.AddItems({Item("HIV")});
  account.Join(People{{1, 0}, {2, 0}, {3, 0}});
  Remember(account, 0, 0, kYes);
  Remember(account, 1, 0, kNo);
  account.AddItems({Item("flu"), {"ward", {"W-1"}, false, false, 2}, {"disease", {"a", "b"}, false, true, 2}});
  EXPECT_EQ(HeldOf(account), (Held{kYes, kNo, kUnknown, kUnknown,  //
                                   kNo, kNo, kUnknown, kUnknown,   //
                                   kUnknown, kUnknown, kUnknown, kUnknown}));
}

TEST(Account, WhatIsSpentIsRoundedUpOfThoseWhoWereThere) {
  Account account;
  account.AddItems({Item("HIV")});
  account.Join(People{{1, 0}, {2, 0}, {3, 0}});
  account.Charge(Numbers{0, 2}, {kUnit + 1, 2 * kUnit, 3 * kUnit}, {"q1", "hash", 2, {1}});
  EXPECT_EQ(SpentOf(account), (Costs{2 * kUnit, 2 * kUnit, 3 * kUnit}));
  EXPECT_EQ(AppearancesOf(account), (Numbers{1, 0, 1}));
  ASSERT_EQ(account.about().releases.size(), 1U);
  EXPECT_EQ(account.about().releases[0].name, "q1");
}

TEST(Account, APromiseOnlyGrows) {
  Account account;
  account.AddItems({Item("HIV", 3)});
  account.Promise(0, 2);
  EXPECT_EQ(account.about().items[0].l, 3U);
  account.Promise(0, 5);
  EXPECT_EQ(account.about().items[0].l, 5U);
}

TEST(Account, EveryValueIsProtectedFromTheFirstReleaseOrNever) {
  Account account;
  account.ProtectEveryValueOf("disease");
  account.ProtectEveryValueOf("disease");
  EXPECT_EQ(account.about().every_value, std::vector<std::string>{"disease"});
  account.AddItems({Item("HIV")});
  account.Charge(Numbers{}, {}, {"q1", "", 0, {}});
  account.ProtectEveryValueOf("ward");
  EXPECT_EQ(account.about().every_value, std::vector<std::string>{"disease"});
}

// Accounts in a ledger, as releases leave them.
class StoredAccount : public LedgerTest {
 protected:
  Status Store(Ledger& ledger, const Account& account, const std::string& release,
               const std::string& series = "clinic") const {
    PENTIMENTO_ASSIGN(const StateFileRecord file, account.Write(ledger.state_folder(), release + ".budgets"));
    return Record(ledger, file, release, series, account.file());
  }

  Status Record(Ledger& ledger, const StateFileRecord& file, const std::string& release,
                const std::string& series = "clinic", const std::string& replaced = "") const {
    PENTIMENTO_ASSIGN(OpenEntry entry, Stage(ledger, release));
    entry.parameters_json = fmt::format(R"([{{"type":"global-guarantee","series":"{}"}}])", series);
    entry.state_files.push_back(file);
    if (!replaced.empty()) entry.replaces = {replaced};
    PENTIMENTO_ASSIGN(const OpenRelease open, ledger.Open(entry));
    MakeVisible(entry);
    return ledger.Close(open);
  }

  static Account Opened(Ledger& ledger) {
    Result<Account> account = Account::Open(&ledger, "clinic");
    EXPECT_TRUE(account.ok()) << account.error().message;
    return account.ok() ? *std::move(account) : Account();
  }

  // Two people and one item.
  static Account Begun(Ledger& ledger, const Costs& spent) {
    Account account = Opened(ledger);
    account.AddItems({Item("HIV")});
    account.Join(People{{1, 0}, {2, 0}});
    account.Charge(Numbers{0, 1}, spent, {"q1", "hash", 2, {1}});
    return account;
  }
};

TEST_F(StoredAccount, ASeriesBeginsWithNothing) {
  EXPECT_EQ(Account::Open(nullptr, "clinic")->people().size(), 0U);
  auto ledger = Writer();
  const Account account = Opened(*ledger);
  EXPECT_EQ(account.about().series, "clinic");
  EXPECT_EQ(account.file(), "");
  EXPECT_EQ(account.items(), 0U);
}

TEST_F(StoredAccount, ItIsReadAsItWasWrittenAndReplaced) {
  auto ledger = Writer();
  ASSERT_TRUE(Store(*ledger, Begun(*ledger, {kUnit, 0}), "q1").ok());
  Account second = Opened(*ledger);
  EXPECT_EQ(second.file(), "q1.budgets");
  EXPECT_EQ(SpentOf(second), (Costs{kUnit, 0}));
  EXPECT_EQ(AppearancesOf(second), (Numbers{1, 1}));
  second.AddItems({Item("flu")});
  second.Join(People{{0, 7}});
  second.Charge(Numbers{0, 2}, {3 * kUnit, 9 * kUnit, kUnit, 0, 5 * kUnit + 1, 8}, {"q2", "other", 2, {1, 1}});
  ASSERT_TRUE(Store(*ledger, second, "q2").ok());
  const Account third = Opened(*ledger);
  EXPECT_EQ(third.file(), "q2.budgets");
  EXPECT_FALSE(std::filesystem::exists(Folder() / "state" / "q1.budgets"));
  EXPECT_EQ(SpentOf(third), (Costs{3 * kUnit, 9 * kUnit, kUnit, 0, 6 * kUnit, kUnit}));
  EXPECT_EQ(AppearancesOf(third), (Numbers{1, 1, 2}));
  EXPECT_EQ(third.about().releases.size(), 2U);
  EXPECT_TRUE(Problems().empty());
}

TEST_F(StoredAccount, WhatWasHadLastIsReadAsItWasWrittenBesideWholeLimitsAndAppearances) {
  auto ledger = Writer();
  Account account = Opened(*ledger);
  account.AddItems({Item("HIV"), Item("flu")});
  account.Join(People{{1, 0}, {2, 0}, {3, 0}});
  const LogCost whole = CostOfExposure(1, 2);
  account.Charge(Numbers{0, 1}, {whole, kUnit, 0, whole, 0, 0}, {"q1", "hash", 2, {1, 1}});
  Remember(account, 0, 0, kYes);
  Remember(account, 0, 1, kNo);
  Remember(account, 1, 0, kNo);
  Remember(account, 1, 1, kYes);
  ASSERT_TRUE(Store(*ledger, account, "q1").ok());
  const Account again = Opened(*ledger);
  EXPECT_EQ(HeldOf(again), (Held{kYes, kNo, kNo, kYes, kUnknown, kUnknown}));
  EXPECT_EQ(SpentOf(again), (Costs{whole, kUnit, 0, whole, 0, 0}));
  EXPECT_EQ(AppearancesOf(again), (Numbers{1, 1, 0}));
}

// As version 1 wrote them: the numbers hold what is spent, and appearances, and nothing else.
TEST_F(StoredAccount, AnAccountOfVersion1IsReadAndNobodyKnowsWhatPeopleHad) {
  auto ledger = Writer();
  const std::string about = AccountAboutText({"clinic", {{"q1", "input", 2, {1}}}, {Item("HIV")}, {}, {}});
  const std::vector<std::uint64_t> directory = {(std::uint64_t{1} << 32) | 1, 2, about.size(), 0};
  const std::vector<std::uint64_t> spent = {5 * kUnit + 1, kUnit + 1};
  const People people = {{1, 0}, {2, 0}};
  auto writer = StateFileWriter::Create(ledger->state_folder(), "q1.budgets", StateKind::kBudgets, 1);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->Append(std::as_bytes(std::span(directory))).ok());
  ASSERT_TRUE(writer->Append(std::as_bytes(std::span(people))).ok());
  ASSERT_TRUE(writer->Append(std::as_bytes(std::span(spent))).ok());
  ASSERT_TRUE(writer->Append(std::as_bytes(std::span(about))).ok());
  const auto file = writer->Finish();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(Record(*ledger, *file, "q1").ok());
  const Account account = Opened(*ledger);
  EXPECT_EQ(HeldOf(account), (Held{kUnknown, kUnknown}));
  EXPECT_EQ(SpentOf(account), (Costs{5 * kUnit, kUnit}));
  EXPECT_EQ(AppearancesOf(account), (Numbers{1, 1}));
}

TEST_F(StoredAccount, OtherSeriesAreOtherAccounts) {
  auto ledger = Writer();
  ASSERT_TRUE(Store(*ledger, Begun(*ledger, {kUnit, 0}), "q1", "another").ok());
  EXPECT_EQ(Opened(*ledger).people().size(), 0U);
}

TEST_F(StoredAccount, AWholeLimitIsKnownAgainSoThatOthersMayFollow) {
  auto ledger = Writer();
  const LogCost whole = CostOfExposure(1, 2);
  ASSERT_GT(whole, BudgetOfLimit(2));
  ASSERT_NE(RoundedForAccount(whole), whole);
  ASSERT_TRUE(Store(*ledger, Begun(*ledger, {whole, BudgetOfLimit(2)}), "q1").ok());
  Account account = Opened(*ledger);
  EXPECT_EQ(SpentOf(account), (Costs{whole, whole}));
  EXPECT_EQ(AppearancesOf(account), (Numbers{1, 1}));
  // A release with somebody else in it.
  GlobalClaim claim;
  claim.items.push_back({.column = 0, .values = {0}, .l = 2, .transient = true, .name = ""});
  const Numbers numbers = account.Join(People{{9, 0}});
  ASSERT_EQ(numbers, (Numbers{2}));
  const std::uint32_t absent = ReleaseClasses::kAbsent;
  ReleaseClasses release{{absent, absent, 0}, {}, {1}, {0}};
  const auto charged = ChargeRelease(claim, release, 1, SpentOf(account));
  ASSERT_TRUE(charged.ok()) << charged.error().message;
  EXPECT_FALSE(charged->violation);
  account.Charge(numbers, charged->spent, {"q2", "other", 1, {0}});
  ASSERT_TRUE(Store(*ledger, account, "q2").ok());
  EXPECT_EQ(AppearancesOf(Opened(*ledger)), (Numbers{1, 1, 1}));
  // With a larger l it is no whole limit, but too much.
  claim.items[0].l = 3;
  EXPECT_TRUE(ChargeRelease(claim, release, 2, SpentOf(Opened(*ledger)))->violation);
}

TEST_F(StoredAccount, WhatIsSaidAboutTheSeriesMustBeOfThisRelease) {
  auto ledger = Writer();
  Account account = Begun(*ledger, {kUnit, 0});
  ASSERT_TRUE(Store(*ledger, account, "q9").ok());  // though its about says that the latest release is q1
  const auto opened = Account::Open(&*ledger, "clinic");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kCorruptLedger);
  EXPECT_EQ(opened.error().message,
            "q9.budgets: what is said about the series 'clinic' cannot be read; restore the ledger from a backup");
}

TEST_F(StoredAccount, OfANewerVersionIsNoDamage) {
  auto ledger = Writer();
  std::string about = AccountAboutText({"clinic", {{"q1", "input", 1, {0}}}, {Item("HIV")}, {}, {}});
  about.replace(about.find("\"version\":1"), 11, "\"version\":2");
  const auto file = WriteBudgets(ledger->state_folder(), "q1.budgets", {1, {}, {}, about});
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(Record(*ledger, *file, "q1").ok());
  const auto opened = Account::Open(&*ledger, "clinic");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kStorage);
  EXPECT_EQ(opened.error().message,
            "q1.budgets: a newer version of this program wrote the account of the series 'clinic'; use that one");
}

TEST_F(StoredAccount, AReleaseWithoutBudgetsIsDamage) {
  auto ledger = Writer();
  auto entry = Stage(*ledger, "q1");
  ASSERT_TRUE(entry.ok());
  entry->parameters_json = R"([{"type":"global-guarantee","series":"clinic"}])";
  const auto open = ledger->Open(*entry);
  ASSERT_TRUE(open.ok());
  MakeVisible(*entry);
  ASSERT_TRUE(ledger->Close(*open).ok());
  const auto opened = Account::Open(&*ledger, "clinic");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            "release 'q1' of the series 'clinic' has no budgets on record; restore the ledger from a backup");
}

}  // namespace

namespace {

AccountAbout Clinic() {
  AccountAbout about;
  about.series = "clinic";
  about.releases = {{"q1", "00ff", 100, {3, 0, 1}}, {"q2", "01ab", 90, {2, 5, 1, 7}}};
  about.items = {{"disease", {"HIV"}, false, false, 2},
                 {"disease", {"HIV", "Syphilis"}, false, true, 4},
                 {"ward", {}, true, false, 3},
                 {"ward", {"caf\xe9 \"a\""}, false, false, 1'000'000}};
  about.every_value = {"ward"};
  about.missing = {"", "NA"};
  return about;
}

void ExpectEqual(const AccountAbout& read, const AccountAbout& written) {
  EXPECT_EQ(read.series, written.series);
  EXPECT_EQ(read.every_value, written.every_value);
  EXPECT_EQ(read.missing, written.missing);
  ASSERT_EQ(read.items.size(), written.items.size());
  for (std::size_t item = 0; item < read.items.size(); ++item) {
    EXPECT_TRUE(read.items[item].Matches(written.items[item])) << item;
    EXPECT_EQ(read.items[item].l, written.items[item].l) << item;
  }
  ASSERT_EQ(read.releases.size(), written.releases.size());
  for (std::size_t release = 0; release < read.releases.size(); ++release) {
    EXPECT_EQ(read.releases[release].name, written.releases[release].name);
    EXPECT_EQ(read.releases[release].input, written.releases[release].input);
    EXPECT_EQ(read.releases[release].rows, written.releases[release].rows);
    EXPECT_EQ(read.releases[release].holders, written.releases[release].holders);
  }
}

std::string With(std::string_view part, std::string_view instead) {
  std::string text = AccountAboutText(Clinic());
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part << " in " << text;
  return text.replace(at, part.size(), instead);
}

TEST(AccountAbout, WhatWasWrittenIsReadAgainAlsoWhereItIsNoUtf8) {
  const auto read = ParseAccountAbout(AccountAboutText(Clinic()));
  ASSERT_TRUE(read);
  ExpectEqual(*read, Clinic());
  const auto empty = ParseAccountAbout(AccountAboutText({}));
  ASSERT_TRUE(empty);
  ExpectEqual(*empty, {});
}

TEST(AccountAbout, ItIsWrittenAsThePageOnTheFormatSays) {
  AccountAbout about;
  about.series = "clinic";
  about.releases = {{"q1", "00ff", 100, {3, 1}}};
  about.items = {{"disease", {"HIV", "caf\xe9"}, false, true, 4}, {"ward", {}, true, false, 2}};
  about.every_value = {"ward"};
  about.missing = {"", "NA"};
  EXPECT_EQ(AccountAboutText(about),
            R"({"version":1,"series":"clinic","releases":[{"name":"q1","input":"00ff","rows":100,"holders":[3,1]}],)"
            R"("items":[{"column":"disease","values":["HIV",[99,97,102,233]],"l":4,"set":true},)"
            R"({"column":"ward","values":[],"l":2,"missing":true}],"every_value":["ward"],"missing":["","NA"]})");
}

TEST(AccountAbout, AnAccountThatDoesNotSayWhatIsMissingIsStillRead) {
  const auto read = ParseAccountAbout(With(R"(,"missing":["","NA"])", ""));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->missing.empty());
}

TEST(AccountAbout, ThingsAreTheSameWhateverWasPromisedOfThem) {
  const AccountItem hiv{"disease", {"HIV"}, false, false, 2};
  EXPECT_TRUE(hiv.Matches({"disease", {"HIV"}, false, false, 9}));
  EXPECT_FALSE(hiv.Matches({"ward", {"HIV"}, false, false, 2}));
  EXPECT_FALSE(hiv.Matches({"disease", {"flu"}, false, false, 2}));
  EXPECT_FALSE(hiv.Matches({"disease", {"HIV"}, false, true, 2}));
  EXPECT_FALSE(AccountItem({"disease", {}, true, false, 2}).Matches({"disease", {}, false, false, 2}));
}

TEST(AccountAbout, ANewerVersionIsNotDamage) {
  EXPECT_TRUE(IsNewerAccountAbout(With("\"version\":1", "\"version\":2")));
  EXPECT_FALSE(IsNewerAccountAbout(AccountAboutText(Clinic())));
  for (const std::string text : {"", "7", "[2]", "{}", "{\"version\":\"2\"}", "{\"version\":2"})
    EXPECT_FALSE(IsNewerAccountAbout(text)) << text;
}

TEST(AccountAbout, DamageIsFound) {
  const std::string whole = AccountAboutText(Clinic());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(ParseAccountAbout(std::string_view(whole).substr(0, length))) << length;
  EXPECT_FALSE(ParseAccountAbout(whole + "}"));
  EXPECT_FALSE(ParseAccountAbout("[]"));
  EXPECT_FALSE(ParseAccountAbout(With("\"version\":1", "\"version\":2")));
  EXPECT_FALSE(ParseAccountAbout(With("\"series\":\"clinic\"", "\"series\":7")));
  EXPECT_FALSE(ParseAccountAbout(With("\"rows\":100", "\"rows\":\"100\"")));
  // A library that converts these to whole numbers does what nobody has defined.
  for (const std::string number : {"1e300", "-1", "100.0", "18446744073709551616", "null"}) {
    EXPECT_FALSE(ParseAccountAbout(With("\"rows\":100", "\"rows\":" + number))) << number;
    EXPECT_FALSE(ParseAccountAbout(With("[2,5,1,7]", "[2,5,1," + number + "]"))) << number;
    EXPECT_FALSE(ParseAccountAbout(With("\"version\":1", "\"version\":" + number))) << number;
  }
  EXPECT_FALSE(ParseAccountAbout(std::string(1000000, '[') + std::string(1000000, ']')));
  EXPECT_FALSE(ParseAccountAbout(With("\"l\":2", "\"l\":1")));
  EXPECT_FALSE(ParseAccountAbout(With("\"l\":2", "\"l\":4294967297")));
  EXPECT_FALSE(ParseAccountAbout(With("[\"HIV\"]", "[]")));
  EXPECT_FALSE(ParseAccountAbout(With("[2,5,1,7]", "[2,5,1,7,1]")));
  EXPECT_FALSE(ParseAccountAbout(With(R"(["","NA"])", "7")));
}

}  // namespace

}  // namespace pentimento::account_test
