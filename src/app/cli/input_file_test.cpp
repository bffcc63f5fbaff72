#include "app/cli/input_file.hpp"

#include <gtest/gtest.h>

#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

std::string refused(const std::string& text) {
  try {
    parse_samples("u", "u.csv", text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status, kWrongUsage);
    return failure.what();
  }
  return "accepted";
}

TEST(InputFile, ReadsTimesAndValues) {
  const InputSignal u = parse_samples("u", "u.csv", "time,u\r\n0,1\r\n\n# a leap\n2 , -3e2\n2;4\n");
  EXPECT_EQ(u.name, "u");
  EXPECT_EQ(u.times, (std::vector<double>{0, 2, 2}));
  EXPECT_EQ(u.values, (std::vector<double>{1, -300, 4}));
}

TEST(InputFile, SaysWhichLineIsWrong) {
  EXPECT_EQ(refused("0,1\nx,2\n"), "--input u: u.csv:2: 'x,2' is not time,value");
  EXPECT_EQ(refused("0,1\n1,nan\n"), "--input u: u.csv:2: '1,nan' is not time,value");
  EXPECT_EQ(refused("1,1\n0,1\n"), "--input u: u.csv:2: the time is before that of the line above");
  EXPECT_EQ(refused("t,u\n"), "--input u: u.csv is empty");
}

TEST(InputFile, IsGivenByName) {
  EXPECT_EQ(parse_input("u=a=b.csv"), (std::pair<std::string, std::string>("u", "a=b.csv")));
  EXPECT_THROW(parse_input("u.csv"), Failure);
  EXPECT_THROW(parse_input("=u.csv"), Failure);
  EXPECT_THROW(parse_input("u="), Failure);
}

}  // namespace
}  // namespace cradle::cli
