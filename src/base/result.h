// Result<T>: a value, or an error that says whose move it is. Exceptions never cross a module border, but for
// the InternalError of a failed check (check.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace pentimento {

// Whose move it is decides the exit code of the command line (ExitCode below).
enum class ErrorCode {
  kRefused,        // privacy says no
  kUsage,          // the command line is wrong
  kBadPolicy,      // the policy or a taxonomy it names is wrong
  kBadInput,       // the data is wrong
  kStorage,        // disk full, permission, busy: the machine's move
  kCorruptLedger,  // the ledger does not match its own checksums
  kCancelled,      // the user pressed Ctrl-C
  kInternal,       // our bug
};

int ExitCode(ErrorCode code);

// Messages say what is wrong, where, and what to do. They never hold a cell value: logs get shared.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return Checked(), std::get<0>(state_); }
  const T& value() const& { return Checked(), std::get<0>(state_); }
  T&& value() && { return Checked(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }  // by value: nothing dangles in a range-for
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void Checked() const {
    if (!ok()) [[unlikely]]
      FailCheck("value of a failed Result: " + std::get<1>(state_).message, std::source_location::current());
  }
  std::variant<T, Error> state_;
};

// A Result without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace pentimento

// Returns the error of `expr` from the enclosing function, if it has one.
#define PENTIMENTO_RETURN_IF_ERROR(expr)                                                                       \
  do {                                                                                                         \
    if (auto pentimento_status = (expr); !pentimento_status.ok()) return std::move(pentimento_status).error(); \
  } while (false)

#define PENTIMENTO_CONCAT_INNER(a, b) a##b
#define PENTIMENTO_CONCAT(a, b) PENTIMENTO_CONCAT_INNER(a, b)
#define PENTIMENTO_ASSIGN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp).error(); \
  lhs = std::move(tmp).value()

// PENTIMENTO_ASSIGN(auto table, ReadTable(path)): the value, or return the error.
#define PENTIMENTO_ASSIGN(lhs, expr) PENTIMENTO_ASSIGN_INNER(PENTIMENTO_CONCAT(pentimento_result_, __LINE__), lhs, expr)
