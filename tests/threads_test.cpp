// One plan for any number of threads: every model under models/ is run by 1, 2 and 8 threads at
// once over one Model, and each run is the same to the bit as one that had the model to itself.
// Under ThreadSanitizer (CRADLE_TSAN) nothing may be read while another thread writes it.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <thread>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(CRADLE_ROOT "/models")) {
    if (entry.path().extension() == ".cradle") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Options options_of(std::size_t variant) {
  Options options;
  options.choice = ChoicePolicy::Order;
  options.max_events = 300;  // enough to be in many modes
  options.max_steps = 20000;
  // Runs that forget what others have just found, and such that look at more.
  if (variant % 4 == 1) options.mode_cache_bytes = 0;
  if (variant % 4 == 2) options.select_everything = true;
  if (variant % 4 == 3) options.tell_instants = 20;
  return options;
}

uint64_t hash_of(const Model& model, std::size_t variant) {
  Simulation run(model, options_of(variant));
  run.run();
  return run.trajectory().hash();
}

class Threads : public testing::TestWithParam<std::string> {};

TEST_P(Threads, ShareOnePlan) {
  constexpr std::size_t kVariants = 4;
  std::vector<uint64_t> expected;
  for (std::size_t v = 0; v < kVariants; ++v) {
    const Model alone = Model::load(GetParam());
    if (!alone.ok()) GTEST_SKIP() << "rejected, as it shall be";
    expected.push_back(hash_of(alone, v));
  }
  for (const std::size_t count : {1, 2, 8}) {
    const Model model = Model::load(GetParam());
    std::vector<uint64_t> found(std::max(count, kVariants));
    std::barrier begin(static_cast<std::ptrdiff_t>(count));
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < count; ++t) {
        threads.emplace_back([&, t] {
          begin.arrive_and_wait();
          for (std::size_t i = t; i < found.size(); i += count) found[i] = hash_of(model, i);
        });
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], expected[i % kVariants]) << count << " threads, run " << i;
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).parent_path().filename().string() + "_" +
                     fs::path(info.param).stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, Threads, testing::ValuesIn(models()), test_name);

// A model is a value: threads may look at it, copy it and set copies of it.
TEST(SharedModel, IsReadAndCopiedByMany) {
  const Model model = Model::load(CRADLE_ROOT "/models/mosterman/cradle.cradle");
  ASSERT_TRUE(model.ok());
  const std::string causality = model.causality_text();
  const std::size_t problems = model.check().size();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_EQ(model.causality_text(), causality);
      EXPECT_EQ(model.check().size(), problems);
      EXPECT_TRUE(model.reduce().ok());
      Model own = model;
      own.set("J_break", 0.5 + 0.1 * t);
      EXPECT_TRUE(own.ok());
      Simulation run(own);
      run.run();
      EXPECT_GT(run.trajectory().size(), 0u);
    });
  }
}

}  // namespace
}  // namespace cradle
