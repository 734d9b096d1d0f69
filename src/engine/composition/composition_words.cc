#include "engine/composition/composition_words.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"

namespace pentimento {
namespace {

std::vector<std::string> NamesOf(const CompositionOutcome& composition) {
  std::vector<std::string> names;
  for (const CompositionOutcome::Release& release : composition.releases) names.push_back(release.name);
  return names;
}

std::string CertainInWords(const CompositionOutcome::Certain& certain) {
  if (certain.people > 0)
    return fmt::format("The value of '{}' is certain for {}{}.", certain.column, certain.is_exact ? "" : "at least ",
                       WithCommas(certain.people));
  return certain.is_exact
             ? fmt::format("The value of '{}' is certain for nobody.", certain.column)
             : fmt::format("Whether the value of '{}' is certain for somebody could not be settled.", certain.column);
}

}  // namespace

std::string QuotedNames(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  if (quoted.size() < 2) return fmt::format("{}", fmt::join(quoted, ""));
  const std::string last = std::move(quoted.back());
  quoted.pop_back();
  return fmt::format("{} and {}", fmt::join(quoted, ", "), last);
}

std::string BrokenInWords(const CompositionOutcome& composition) {
  std::vector<std::pair<std::string, std::vector<std::string>>> broken, open;
  for (const CompositionOutcome::Broken& promise : composition.broken) {
    auto& by_promise = promise.is_proved ? broken : open;
    auto place = std::ranges::find(by_promise, promise.what, &std::pair<std::string, std::vector<std::string>>::first);
    if (place == by_promise.end()) place = by_promise.insert(by_promise.end(), {promise.what, {}});
    place->second.push_back(promise.release);
  }
  std::vector<std::string> sentences;
  for (const auto& [by_promise, verb] : {std::pair{broken, "breaks"}, std::pair{open, "may break"}}) {
    std::vector<std::string> parts;
    for (const auto& [what, releases] : by_promise)
      parts.push_back(fmt::format("what {} promised ({})", QuotedNames(releases), what));
    if (!parts.empty()) sentences.push_back(fmt::format("This {} {}.", verb, fmt::join(parts, "; ")));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string CountsInWords(const CompositionOutcome& composition) {
  const std::string bound = composition.crowds_are_exact ? "" : "up to ";
  std::string text =
      fmt::format("Together with {}: {}{} of {} people have a crowd below {}", QuotedNames(NamesOf(composition)), bound,
                  WithCommas(composition.crowds.below_k), WithCommas(composition.people), composition.k);
  if (composition.crowds.below_k > 0) text += fmt::format(" (smallest {})", composition.crowds.smallest);
  if (composition.already_below_k > 0)
    text += fmt::format(", {} of them before this release", WithCommas(composition.already_below_k));
  text += fmt::format("; {} for whoever knows who is in which release.", WithCommas(composition.joint.below_k));
  for (const CompositionOutcome::Certain& certain : composition.certain) text += " " + CertainInWords(certain);
  if (!composition.not_compared.empty())
    text += fmt::format(" Not all values of {} were compared.", QuotedNames(composition.not_compared));
  std::vector<std::string> by_content;
  for (const CompositionOutcome::Release& release : composition.releases) {
    if (release.by_content) by_content.push_back(release.name);
  }
  if (!by_content.empty()) text += fmt::format(" Who is in {} was told by its rows.", QuotedNames(by_content));
  return text;
}

std::string CompositionOnRecordInWords(const CompositionOutcome& composition) {
  std::vector<std::string> sentences;
  if (!composition.releases.empty()) sentences.push_back(CountsInWords(composition));
  if (!composition.broken.empty()) sentences.push_back(BrokenInWords(composition));
  std::vector<std::string> unknown;
  for (const CompositionOutcome::Unknown& one : composition.unknown) unknown.push_back(one.name);
  if (!unknown.empty())
    sentences.push_back(fmt::format("What it tells together with {} could not be told.", QuotedNames(unknown)));
  if (!composition.other_people.empty())
    sentences.push_back(fmt::format("By its policy, {} {} about other people.", QuotedNames(composition.other_people),
                                    Plural(composition.other_people.size(), "is", "are")));
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::vector<std::string> CompositionInWords(const CompositionOutcome& composition) {
  std::vector<std::string> words;
  if (!composition.releases.empty()) {
    std::string text = CountsInWords(composition);
    if (!composition.broken.empty()) text += " " + BrokenInWords(composition);
    words.push_back(std::move(text));
  }
  for (const CompositionOutcome::Unknown& unknown : composition.unknown) {
    const std::string people =
        unknown.people ? fmt::format(
                             "{} of these people {} also in '{}', but what both tell "
                             "together cannot be told",
                             WithCommas(*unknown.people), Plural(*unknown.people, "is", "are"), unknown.name)
                       : fmt::format("whether these people are also in '{}' cannot be told", unknown.name);
    words.push_back(fmt::format("{}: {}. If they are others, say so with other_people = [\"{}\"]", people, unknown.why,
                                unknown.name));
  }
  return words;
}

}  // namespace pentimento
