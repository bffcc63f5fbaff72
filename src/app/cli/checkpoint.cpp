#include "app/cli/checkpoint.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "app/cli/failure.hpp"
#include "app/cli/watch.hpp"
#include "base/basics/bytes.hpp"

namespace cradle::cli {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Written>
void fields(Archive& a, T& w) { a(w.partial, w.bytes, w.checksum); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Checkpoint>
void fields(Archive& a, T& c) {
  a(c.version, c.folder, c.words, c.texts, c.inputs, c.csv, c.json, c.csv_written, c.json_written,
    c.json_has_rows, c.summary, c.run);
}

namespace {

constexpr std::string_view kMark = "cradle checkpoint 1\n";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Failure(kWrongUsage, "cannot resume " + file + ": " + why);
}

}  // namespace

std::string Checkpoint::bytes() const {
  std::string body, out(kMark);
  ByteWriter write(body);
  write(*this);
  ByteWriter whole(out);
  whole(checksum(body), body);
  return out;
}

Checkpoint Checkpoint::read(const std::string& file) {
  const std::string bytes = read_text(file, kWrongUsage);
  if (!std::string_view(bytes).starts_with(kMark)) refuse(file, "it is not a checkpoint");
  Checkpoint out;
  try {
    ByteReader whole(std::string_view(bytes).substr(kMark.size()));
    uint64_t sum = 0;
    std::string body;
    whole(sum, body);
    if (!whole.at_end() || sum != checksum(body)) throw std::runtime_error("");
    ByteReader read(body);
    read(out);
    if (!read.at_end()) throw std::runtime_error("");
  } catch (const std::runtime_error&) {
    refuse(file, "it is damaged");
  }
  if (out.version != cradle::version()) {
    refuse(file, "it was written by cradle " + out.version + ", and this is " + cradle::version());
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> texts_of(const Model& model) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < model.sources().size(); ++i) {
    const SourceFile& file = model.sources().file(static_cast<int32_t>(i));
    out.emplace_back(file.name, file.text);
  }
  return out;
}

void require_unchanged(const Checkpoint& checkpoint, const Model& model) {
  const auto texts = texts_of(model);
  constexpr const char* after = " has changed since the run was saved; start it anew";
  for (std::size_t i = 0; i < std::max(texts.size(), checkpoint.texts.size()); ++i) {
    const auto& known = i < checkpoint.texts.size() ? checkpoint.texts[i] : texts[i];
    if (i < texts.size() && i < checkpoint.texts.size() && texts[i] == known) continue;
    throw Failure(kWrongUsage, "cannot resume: " + known.first + after);
  }
  for (const auto& [name, sum] : checkpoint.inputs) {
    if (checksum(read_text(name, kWrongUsage)) == sum) continue;
    throw Failure(kWrongUsage, "cannot resume: " + name + after);
  }
}

CheckpointKeeper::CheckpointKeeper(std::string file, double seconds, Checkpoint checkpoint,
                                   std::function<void(Checkpoint&)> complete)
    : file_(std::move(file)),
      interval_(seconds),
      checkpoint_(std::move(checkpoint)),
      complete_(std::move(complete)),
      last_(Clock::now()),
      saved_(!checkpoint_.run.empty()) {}

void CheckpointKeeper::begin(Simulation& simulation) {
  if (checkpoint_.run.empty()) return;
  try {
    simulation.load(checkpoint_.run);
  } catch (const std::runtime_error& error) {
    refuse(file_, error.what());
  }
}

// The clock is not worth asking at every step.
bool CheckpointKeeper::is_due() {
  constexpr unsigned kSteps = 16;
  if (Watch::is_asked_to_end()) return !saved_at_end_;
  if (++asked_ % kSteps != 0) return false;
  return Clock::now() - last_ >= interval_;
}

// A checkpoint that cannot be written is no reason to end a run; the one before is still there.
void CheckpointKeeper::pause(const Simulation& simulation) {
  saved_at_end_ = Watch::is_asked_to_end();
  complete_(checkpoint_);
  checkpoint_.run = simulation.save();
  try {
    OutputFile out(file_, {});
    out.write(checkpoint_.bytes());
    out.commit();
    saved_ = true;
  } catch (const Failure& failure) {
    if (!std::exchange(failed_, true)) {
      std::cerr << "warning: the run goes on, but is not saved: " << failure.what() << '\n';
    }
  }
  last_ = Clock::now();
}

std::string CheckpointKeeper::how_to_go_on() const {
  if (!saved_) return "it could not be saved";
  return "cradle run --resume " + file_ + " goes on with it";
}

}  // namespace cradle::cli
