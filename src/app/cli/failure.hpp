#pragma once
// Exit status, and what ends a command at once: wrong usage, or a file that cannot be read or
// written.

#include <stdexcept>
#include <string>

namespace cradle::cli {

enum Status {
  kFine = 0,
  kModelAtFault = 1,
  kWrongUsage = 2,
  kEndedEarly = 3,
  kAssertionFails = 4,
};

struct Failure : std::runtime_error {
  Failure(int status_, const std::string& message) : std::runtime_error(message), status(status_) {}
  int status;
};

}  // namespace cradle::cli
