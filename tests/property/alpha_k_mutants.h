// Wrong checkers of (alpha,k)-anonymity, each with one mistake that somebody could make. Instances that cannot tell
// them from the definition are too weak to say anything about the real checker.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "property/alpha_k_large.h"

namespace pentimento::property {

struct AlphaKMutant {
  std::string mistake;
  FormOf form;
  std::function<bool(const AlphaKInstance&)> holds;
  bool dies_on_large_instances = false;  // small numbers cannot tell it from the definition
};

// One class as a checker sees it, for one limit.
struct ClassSeen {
  std::uint64_t rows = 0;
  std::uint64_t with_value = 0;
  std::set<std::size_t> persons;
  std::set<std::size_t> persons_with;
};

struct ReleaseSeen {
  std::map<std::size_t, ClassSeen> classes;
  std::map<std::size_t, std::map<std::size_t, std::uint64_t>> rows_of;  // person, class

  std::vector<ClassOfPerson> ClassesOf(std::size_t person) const {
    std::vector<ClassOfPerson> own;
    for (const auto& [c, rows] : rows_of.at(person)) {
      own.push_back({classes.at(c).rows, classes.at(c).with_value, rows});
    }
    return own;
  }
};

using Limited = oracle::alpha_k::LimitedValues;

// A right checker in parts, so that a mutant is the right one with one part replaced.
struct Checker {
  FormOf form = FormOf::kGeneralized;
  std::function<oracle::alpha_k::ClassOfRow(const AlphaKInstance&)> classes = [](const AlphaKInstance& instance) {
    return oracle::alpha_k::ClassesOf(instance.draft);
  };
  std::function<std::vector<std::size_t>(const AlphaKInstance&)> persons = [](const AlphaKInstance& instance) {
    return oracle::alpha_k::PersonOfRow(instance.data.table);
  };
  std::function<std::vector<Limited>(const AlphaKInstance&)> limits = [](const AlphaKInstance& instance) {
    return oracle::alpha_k::EachLimit(instance.promise.claim);
  };
  std::function<bool(const ClassSeen&, std::uint64_t)> is_large_enough = [](const ClassSeen& c, std::uint64_t k) {
    return c.persons.size() >= k;
  };
  std::function<bool(std::uint64_t, std::uint64_t, Ratio)> share = oracle::alpha_k::IsAtMost;
  bool looks_at_persons = true;
  std::function<bool(const std::vector<ClassOfPerson>&, Ratio)> chance = ChanceIsAtMost;

  ReleaseSeen See(const AlphaKInstance& instance, const Limited& limited) const {
    ReleaseSeen seen;
    const auto class_of_row = classes(instance);
    const auto person_of_row = persons(instance);
    for (std::size_t row = 0; row < class_of_row.size(); ++row) {
      ClassSeen& c = seen.classes[class_of_row[row]];
      const bool has_value = limited.values.contains(instance.data.sensitive[limited.column][row]);
      ++c.rows;
      c.with_value += has_value ? 1 : 0;
      c.persons.insert(person_of_row[row]);
      if (has_value) c.persons_with.insert(person_of_row[row]);
      ++seen.rows_of[person_of_row[row]][class_of_row[row]];
    }
    return seen;
  }

  bool operator()(const AlphaKInstance& instance) const {
    for (const auto& [c, seen] : See(instance, {}).classes) {
      if (!is_large_enough(seen, instance.promise.claim.k)) return false;
    }
    for (const Limited& limited : limits(instance)) {
      const ReleaseSeen seen = See(instance, limited);
      for (const auto& [c, one] : seen.classes) {
        if (!share(one.with_value, one.rows, limited.at_most)) return false;
        if (form == FormOf::kGeneralized && looks_at_persons &&
            !share(one.persons_with.size(), one.persons.size(), limited.at_most)) {
          return false;
        }
      }
      for (const auto& [person, rows] : seen.rows_of) {
        if (!chance(seen.ClassesOf(person), limited.at_most)) return false;
      }
    }
    return true;
  }
};

inline double InDoubles(Ratio ratio) { return static_cast<double>(ratio.num) / static_cast<double>(ratio.den); }

inline double ChanceInDoubles(const std::vector<ClassOfPerson>& classes) {
  double without = 1;
  for (const ClassOfPerson& c : classes) {
    for (std::uint64_t i = 0; i < c.own_rows; ++i) {
      const auto left = static_cast<double>(c.rows - i);
      without *= std::max(0.0, left - static_cast<double>(c.with_value)) / left;
    }
  }
  return 1 - without;
}

inline std::vector<Limited> LimitsWhere(const AlphaKInstance& instance,
                                        const std::function<bool(SensitiveLimit&)>& keep) {
  AlphaKClaim claim = instance.promise.claim;
  std::erase_if(claim.limits, [&](SensitiveLimit& limit) { return !keep(limit); });
  return oracle::alpha_k::EachLimit(claim);
}

// Mistakes about who is counted, and about classes.
inline void AddMutantsOfClasses(FormOf form, std::vector<AlphaKMutant>& mutants) {
  const auto add = [&](const char* mistake, const std::function<void(Checker&)>& change) {
    Checker checker;
    checker.form = form;
    change(checker);
    mutants.push_back({mistake, form, checker});
  };
  add("counts rows instead of persons", [](Checker& c) {
    c.persons = [](const AlphaKInstance& instance) {
      std::vector<std::size_t> rows(instance.data.table.rows);
      std::iota(rows.begin(), rows.end(), 0);
      return rows;
    };
  });
  add("counts rows for k", [](Checker& c) { c.is_large_enough = [](const auto& s, auto k) { return s.rows >= k; }; });
  add("is content with k - 1",
      [](Checker& c) { c.is_large_enough = [](const auto& s, auto k) { return s.persons.size() + 1 >= k; }; });
  add("wants more than k",
      [](Checker& c) { c.is_large_enough = [](const auto& s, auto k) { return s.persons.size() > k; }; });
  add("forgets k", [](Checker& c) { c.is_large_enough = [](const auto&, auto) { return true; }; });
  add("takes the table for one class", [](Checker& c) {
    c.classes = [](const AlphaKInstance& instance) { return oracle::alpha_k::ClassOfRow(instance.data.table.rows, 0); };
  });
  if (form == FormOf::kTwoTables) return;
  add("takes groups with equal boxes for different classes", [](Checker& c) {
    c.classes = [](const AlphaKInstance& instance) {
      return oracle::alpha_k::ClassOfRow(instance.draft.of_row.begin(), instance.draft.of_row.end());
    };
  });
  add("forgets the share of persons", [](Checker& c) { c.looks_at_persons = false; });
}

// Mistakes about which values are limited.
inline void AddMutantsOfLimits(FormOf form, std::vector<AlphaKMutant>& mutants) {
  const auto add = [&](const char* mistake, const std::function<bool(SensitiveLimit&, const AlphaKTable&)>& keep) {
    Checker checker;
    checker.form = form;
    checker.limits = [keep](const AlphaKInstance& instance) {
      return LimitsWhere(instance, [&](SensitiveLimit& limit) { return keep(limit, instance.data); });
    };
    mutants.push_back({mistake, form, checker});
  };
  add("limits each value of a set by itself", [](SensitiveLimit& limit, const auto&) {
    limit.together = false;
    return true;
  });
  add("limits all values of a column together",
      [](SensitiveLimit& limit, const auto&) { return limit.together = true; });
  add("forgets limits besides alpha", [](SensitiveLimit& limit, const auto&) { return !limit.together; });
  add("forgets alpha", [](SensitiveLimit& limit, const auto&) { return limit.together; });
  add("looks at the first sensitive column only", [](SensitiveLimit& limit, const auto&) { return limit.column == 0; });
  add("looks at the first value of a limit only", [](SensitiveLimit& limit, const auto&) {
    limit.values.resize(1);
    return true;
  });
  add("does not count the missing value", [](SensitiveLimit& limit, const AlphaKTable& data) {
    std::erase(limit.values, data.value_counts[limit.column] - 1);
    return !limit.values.empty();
  });
  add("takes a limit of 0 for no limit", [](SensitiveLimit& limit, const auto&) { return limit.at_most.num > 0; });
  add("takes a limit of 1 for a limit of 0", [](SensitiveLimit& limit, const auto&) {
    if (limit.at_most.num == limit.at_most.den) limit.at_most = {0, 1};
    return true;
  });
  add("limits every value of the column", [](SensitiveLimit& limit, const AlphaKTable& data) {
    if (!limit.together) limit.values.resize(data.value_counts[limit.column]);
    if (!limit.together) std::iota(limit.values.begin(), limit.values.end(), 0);
    return true;
  });
}

// Mistakes of arithmetic.
inline void AddMutantsOfNumbers(FormOf form, std::vector<AlphaKMutant>& mutants) {
  const auto add = [&](const char* mistake, const std::function<void(Checker&)>& change, bool large = false) {
    Checker checker;
    checker.form = form;
    change(checker);
    mutants.push_back({mistake, form, checker, large});
  };
  const auto round = [](const std::function<double(double)>& to_whole) {
    return [to_whole](Checker& c) {
      const auto rounded = [to_whole](Ratio limit) {
        return Ratio{static_cast<std::uint64_t>(to_whole(100 * InDoubles(limit))), 100};
      };
      c.share = [rounded](auto part, auto whole, Ratio l) {
        return oracle::alpha_k::IsAtMost(part, whole, rounded(l));
      };
      c.chance = [rounded](const auto& classes, Ratio l) { return ChanceIsAtMost(classes, rounded(l)); };
    };
  };
  add("rounds alpha down to percents", round([](double x) { return std::floor(x); }));
  add("rounds alpha up to percents", round([](double x) { return std::ceil(x); }));
  add("rounds alpha to percents", round([](double x) { return std::round(x); }));
  add("wants less than the limit", [](Checker& c) {
    c.share = [](std::uint64_t part, std::uint64_t whole, Ratio limit) {
      return part == 0 || oracle::alpha_k::Wide{part} * limit.den < oracle::alpha_k::Wide{whole} * limit.num;
    };
  });
  add("allows as many as the limit rounded up", [](Checker& c) {
    c.share = [](std::uint64_t part, std::uint64_t whole, Ratio limit) {
      return oracle::alpha_k::Wide{part} * limit.den < oracle::alpha_k::Wide{whole} * limit.num + limit.den;
    };
    c.chance = [](const auto&, Ratio) { return true; };
  });
  add(
      "multiplies in doubles",
      [](Checker& c) {
        c.share = [](std::uint64_t part, std::uint64_t whole, Ratio limit) {
          return static_cast<double>(part) <= InDoubles(limit) * static_cast<double>(whole);
        };
      },
      true);
  add(
      "has chances in doubles",
      [](Checker& c) {
        c.chance = [](const auto& classes, Ratio l) { return ChanceInDoubles(classes) <= InDoubles(l); };
      },
      true);
  add(
      "forgives a billionth",
      [](Checker& c) {
        c.chance = [](const auto& classes, Ratio l) { return ChanceInDoubles(classes) <= InDoubles(l) + 1e-9; };
      },
      true);
}

// Mistakes about people with several rows.
inline void AddMutantsOfChances(FormOf form, std::vector<AlphaKMutant>& mutants) {
  using ClassesOfPerson = std::vector<ClassOfPerson>;
  const auto add = [&](const char* mistake, const std::function<bool(const ClassesOfPerson&, Ratio)>& chance) {
    Checker checker;
    checker.form = form;
    checker.chance = chance;
    mutants.push_back({mistake, form, checker});
  };
  add("forgets people with several rows", [](const ClassesOfPerson&, Ratio) { return true; });
  add("forgets the bound across classes", [](const ClassesOfPerson& classes, Ratio limit) {
    return std::ranges::all_of(classes, [&](const ClassOfPerson& c) { return ChanceIsAtMost({c}, limit); });
  });
  add("takes one row of a person in each class", [](ClassesOfPerson classes, Ratio limit) {
    for (ClassOfPerson& c : classes) c.own_rows = 1;
    return ChanceIsAtMost(classes, limit);
  });
  add("adds chances up", [](const ClassesOfPerson& classes, Ratio limit) {
    double sum = 0;
    for (const ClassOfPerson& c : classes) {
      sum += static_cast<double>(c.own_rows * c.with_value) / static_cast<double>(c.rows);
    }
    return sum <= InDoubles(limit) + 1e-9;
  });
  add("draws with replacement", [](const ClassesOfPerson& classes, Ratio limit) {
    double without = 1;
    for (const ClassOfPerson& c : classes) {
      without *= std::pow(1 - static_cast<double>(c.with_value) / static_cast<double>(c.rows),
                          static_cast<double>(c.own_rows));
    }
    return 1 - without <= InDoubles(limit) + 1e-9;
  });
  add("looks at one class of a person only",
      [](const ClassesOfPerson& classes, Ratio limit) { return ChanceIsAtMost({classes[0]}, limit); });
  add("pools the classes of a person", [](const ClassesOfPerson& classes, Ratio limit) {
    ClassOfPerson pool;
    for (const ClassOfPerson& c : classes) {
      pool = {pool.rows + c.rows, pool.with_value + c.with_value, pool.own_rows + c.own_rows};
    }
    return ChanceIsAtMost({pool}, limit);
  });
}

// The right checker is no mutant; a test sees to it that it is not taken for one.
inline std::vector<AlphaKMutant> AlphaKMutants() {
  std::vector<AlphaKMutant> mutants;
  for (const FormOf form : {FormOf::kGeneralized, FormOf::kTwoTables}) {
    AddMutantsOfClasses(form, mutants);
    AddMutantsOfLimits(form, mutants);
    AddMutantsOfNumbers(form, mutants);
    AddMutantsOfChances(form, mutants);
  }
  Checker with_persons;
  with_persons.form = FormOf::kGeneralized;
  mutants.push_back({"wants the share of persons of two tables", FormOf::kTwoTables, with_persons});
  return mutants;
}

}  // namespace pentimento::property
