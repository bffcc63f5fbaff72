#include "app/cli/row_pipe.hpp"

#include <chrono>
#include <utility>

namespace cradle::cli {
namespace {

// Rows of a run that has few of them are not kept back for longer.
constexpr auto kLongestWait = std::chrono::milliseconds(200);

}  // namespace

RowPipe::~RowPipe() {
  {
    const std::lock_guard<std::mutex> hold(lock_);
    closed_ = true;
  }
  ready_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void RowPipe::begin(const RowLayout& layout) {
  to_.begin(layout);
  writer_ = std::thread([this] { work(); });
}

void RowPipe::check() {
  if (fault_) std::rethrow_exception(fault_);
}

void RowPipe::take(std::span<const RowView> rows) {
  std::unique_lock<std::mutex> hold(lock_);
  check();
  coming_.add(rows);
  if (coming_.bytes() < kFull) return;
  ready_.notify_one();
  written_.wait(hold, [this] { return coming_.bytes() < kFull || fault_; });
  check();
}

void RowPipe::work() {
  std::unique_lock<std::mutex> hold(lock_);
  while (true) {
    ready_.wait_for(hold, kLongestWait,
                    [this] { return coming_.bytes() >= kFull || in_a_hurry_ || closed_; });
    if (coming_.empty()) {
      if (closed_) return;
      in_a_hurry_ = false;
      continue;
    }
    std::swap(coming_, going_);
    is_writing_ = true;
    hold.unlock();
    written_.notify_all();  // there is room again
    std::exception_ptr fault;
    try {
      to_.take(going_.rows());
    } catch (...) {
      fault = std::current_exception();
    }
    going_.clear();
    hold.lock();
    is_writing_ = false;
    if (fault && !fault_) fault_ = fault;
    written_.notify_all();
    if (fault_) return;
  }
}

void RowPipe::drain() {
  std::unique_lock<std::mutex> hold(lock_);
  if (!writer_.joinable()) return;
  in_a_hurry_ = true;
  ready_.notify_one();
  written_.wait(hold, [this] { return (coming_.empty() && !is_writing_) || fault_; });
  check();
}

void RowPipe::finish() {
  drain();
  to_.finish();
}

}  // namespace cradle::cli
