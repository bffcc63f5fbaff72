#include "app/cli/params_file.hpp"

#include <gtest/gtest.h>

#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

// "name = value; …"
std::string read(const std::string& text) {
  std::string out;
  try {
    for (const Setting& setting : parse_params("p", text)) {
      EXPECT_EQ(
          setting.file->text.substr(static_cast<std::size_t>(setting.begin), setting.value.size()),
          setting.value);
      out += (out.empty() ? "" : "; ") + setting.name + " = " + setting.value;
    }
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status, kWrongUsage);
    return failure.what();
  }
  return out;
}

TEST(ParamsFile, ReadsJson) {
  EXPECT_EQ(read(R"({"a": 1, "b": -2.5e3, "c": true, "d": "10 mH", "e": [1, 2], "f": "2 * pi"})"),
            "a = 1; b = -2.5e3; c = true; d = 10 mH; e = [1, 2]; f = 2 * pi");
  EXPECT_EQ(read("{}"), "");
  EXPECT_EQ(read("\xEF\xBB\xBF\r\n{\r\n \"a\":1\r\n}\r\n"), "a = 1");
}

TEST(ParamsFile, ReadsPartsWithinParts) {
  EXPECT_EQ(read(R"({"d1": {"v_on": 0.7, "heat": {"c": 2}}, "ball": [{"mass": 1}, {"mass": 2}]})"),
            "d1.v_on = 0.7; d1.heat.c = 2; ball[1].mass = 1; ball[2].mass = 2");
  EXPECT_EQ(read("d1:\n  v_on: 0.7  # volts\n  heat:\n    c: 2\nd2.v_on: 1\n"),
            "d1.v_on = 0.7; d1.heat.c = 2; d2.v_on = 1");
}

TEST(ParamsFile, ReadsLines) {
  EXPECT_EQ(read("---\n# all of it\nL: 10 mH\r\nf : 'on'\n\nm: [1,\n  2]\nk: +.5\nn: max(1, 2)\n"),
            "L = 10 mH; f = on; m = [1,\n  2]; k = 0.5; n = max(1, 2)");
  EXPECT_EQ(read("a:\n  - 1  # one\n\n  - 2 mH\nb:\n- [1, 2]\n- [3, 4]\nc: 1"),
            "a = [ 1       \n\n  , 2 mH]; b = [ [1, 2]\n, [3, 4]]; c = 1");
  EXPECT_EQ(read("d: {v_on: 0.7 V, r: \"1\"}\n"), "d.v_on = 0.7 V; d.r = 1");
}

TEST(ParamsFile, ReadsWhatIsWrittenOtherwiseInJson) {
  EXPECT_EQ(read(R"({"\u0061": "10 \u00b5H", "l": ["1 \u00b5H", "2"]})"),
            "a = 10 µH; l = [ 1 µH ,  2 ]");
}

TEST(ParamsFile, KeepsLines) {
  const auto found = parse_params("p", "{\"a\": \"\\u00b5\\n1\",\n\"b\": 2}");
  EXPECT_EQ(found[1].file->text.substr(0, static_cast<std::size_t>(found[1].begin)),
            "{\"a\":  µ 1 ,\n\"b\": ");
}

TEST(ParamsFile, SaysWhichLineIsWrongAndHowToWriteIt) {
  const auto is = [](const std::string& text, const std::string& what) {
    EXPECT_EQ(read(text), "--params: p:" + what) << text;
  };
  is("", "1: there is no value in it\n  help: write lines of name: value");
  is("# nothing\n", "2: there is no value in it\n  help: write lines of name: value");
  is("[1, 2]", "1: a list has no names\n  help: write {\"name\": value}");
  is("a: 1\nb = 2\n", "2: expected a name and :\n  help: write name: value");
  is("a:1\n", "1: there is no blank behind the :\n  help: write name: value");
  is("a:\nb: 1\n", "2: a has no value\n  help: write a: 1, or leave it out");
  is("{\"a\": null}", "1: a has no value\n  help: write a: 1, or leave it out");
  is("a: 1\n\na: 2\n", "3: a is given twice, first in line 1\n  help: leave one of them");
  is("d.v: 1\nd:\n  v: 2\n", "3: d.v is given twice, first in line 1\n  help: leave one of them");
  is("a:\n\tb: 1\n",
     "2: a tab says nothing about how far a line is indented\n  help: indent it with blanks");
  is("a: 1\n  b: 2\n",
     "2: this line is indented further than those above\n"
     "  help: let names of one part begin in one column");
  is("a: \"1\nb: 2", "1: a text does not end on its line\n  help: write \" at its end");
  is("a: \"\\q\"", "1: the text \"\\q\" is none in JSON\n  help: write \\\\ for a backslash");
  is("a: \"1\" 2",
     "1: there is more behind the value of a\n  help: write each name on a line of its own");
  is("a: &b 1",
     "1: what YAML means by & is not read here\n  help: write the value itself, a text in quotes");
  is("ball:\n  - mass: 1\n",
     "2: names behind a - are not read here\n"
     "  help: write ball[1]: and below it, indented, its names");
  is("{\"a\": 1\n\"b\": 2",
     "2: expected , or } in the braces\n  help: write } where it ends, and , "
     "between its items");
  is("{\"a\": [1, 2}",
     "1: expected , or ] in the list of a\n  help: write ] where it ends, and , "
     "between its items");
  is("{1}", "1: expected a name and :\n  help: write \"name\": value");
  is("{\"a\": [{\"b\": 1}, 2]}",
     "1: braces and values stand in one list\n  help: give each item its braces");
  is("{\"a\": 1} 2", "1: nothing more is expected here\n  help: indent names of one part alike");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{\"a\":";
  is(deep, "1: this is nested too deeply\n  help: write d1.v_on for what is inside of d1");
}

TEST(ParamsFile, ReadsAnythingInTimeThatGrowsWithIt) {
  std::string lines;
  for (int i = 0; i < 100000; ++i) lines += "a" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse_params("p", lines).size(), 100000u);
}

}  // namespace
}  // namespace cradle::cli
