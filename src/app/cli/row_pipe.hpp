#pragma once
// Rows on their way to one who writes them down, on a thread of its own: a run goes on while they
// are made into text. They come in the same order and in larger pieces, so the text is the same.
// What waits is bounded; when the writer is slower than the run, the run waits for it.

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/basics/row_batch.hpp"
#include "cradle/rows.hpp"

namespace cradle::cli {

class RowPipe : public RowSink {
 public:
  // `to` is called from the thread of this pipe, and from whoever calls begin and finish.
  explicit RowPipe(RowSink& to) : to_(to) {}
  ~RowPipe() override;
  RowPipe(const RowPipe&) = delete;
  RowPipe& operator=(const RowPipe&) = delete;

  void begin(const RowLayout& layout) override;
  // Throws what the writer has thrown on rows before.
  void take(std::span<const RowView> rows) override;
  void finish() override;
  // Until all that was taken has been written down. Throws what the writer has thrown.
  void drain();

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 20;  // bytes of a batch

  void work();
  void check();  // with the lock held

  RowSink& to_;
  std::mutex lock_;
  std::condition_variable ready_, written_;
  RowBatch coming_, going_;  // what is being filled, what is being written down
  bool is_writing_ = false, in_a_hurry_ = false, closed_ = false;
  std::exception_ptr fault_;
  std::thread writer_;
};

}  // namespace cradle::cli
