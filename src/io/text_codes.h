// From text to code, once per cell: an open-addressing table over byte strings that allocates nothing on a lookup.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"

namespace pentimento {

class TextCodes {
 public:
  static constexpr Code kAbsent = UINT32_MAX;

  TextCodes() : slots_(64) {}

  std::size_t size() const { return places_.size(); }
  // The texts that were added, in the order of their adding. Views: they last until the next Add().
  std::vector<std::string_view> texts() const {
    std::vector<std::string_view> all;
    for (const Place& place : places_) all.push_back(TextAt(place));
    return all;
  }

  Code Find(std::string_view text) const {
    const std::uint64_t hash = Hash(text);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.code == kAbsent) return kAbsent;
      if (slot.hash == hash && TextAt(slot.place) == text) return slot.code;
    }
  }

  // `text` must not be there yet.
  void Add(std::string_view text, Code code) {
    if (2 * (places_.size() + 1) > slots_.size()) Grow();
    const Place place{bytes_.size(), text.size()};
    bytes_.append(text);
    places_.push_back(place);
    Insert({Hash(text), place, code});
  }

  // The code of `text`, which gets the next free one if it is new.
  Code FindOrAdd(std::string_view text) {
    const Code found = Find(text);
    if (found != kAbsent) return found;
    const Code code = static_cast<Code>(places_.size());
    Add(text, code);
    return code;
  }

 private:
  // Where a text is in bytes_: an offset, so that copies and moves of the whole table stay right.
  struct Place {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  struct Slot {
    std::uint64_t hash = 0;
    Place place;
    Code code = kAbsent;
  };

  std::string_view TextAt(const Place& place) const {
    return std::string_view(bytes_).substr(place.begin, place.length);
  }

  static std::uint64_t Word(const char* data, std::size_t length) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, length);
    return word;
  }
  static std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  // Eight bytes at a time; short texts, the usual case, take one multiplication.
  static std::uint64_t Hash(std::string_view text) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ text.size();
    const char* data = text.data();
    std::size_t left = text.size();
    for (; left > 8; data += 8, left -= 8) hash = Mix(hash ^ Word(data, 8), 0xD6E8FEB86659FD93ULL);
    std::uint64_t tail = 0;
    if (left >= 4) {
      tail = (Word(data, 4) << 32) | Word(data + left - 4, 4);
    } else if (left > 0) {
      const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(data[i])}; };
      tail = (byte(0) << 16) | (byte(left >> 1) << 8) | byte(left - 1);
    }
    return Mix(hash ^ tail, 0xA0761D6478BD642FULL);
  }

  void Insert(const Slot& slot) {
    std::size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].code != kAbsent) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code != kAbsent) Insert(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<Place> places_;
  std::string bytes_;
};

}  // namespace pentimento
