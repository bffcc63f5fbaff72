#include "cradle/diagnostic.hpp"

#include <gtest/gtest.h>

namespace cradle {
namespace {

TEST(Sources, CountsLinesAndCodePoints) {
  Sources sources;
  const int32_t file = sources.add("a", "ä = ω\r\n\nz");
  EXPECT_EQ(sources.position(file, 0).line, 1);
  EXPECT_EQ(sources.position(file, 0).column, 1);
  EXPECT_EQ(sources.position(file, 5).column, 5);  // behind the two bytes of ä
  EXPECT_EQ(sources.position(file, 9).line, 2);
  EXPECT_EQ(sources.position(file, 10).line, 3);
  EXPECT_EQ(sources.position(file, 11).column, 2);
  EXPECT_EQ(sources.position(file, 1000).column, 2);  // clamped to the end
  EXPECT_EQ(sources.line_text(file, 1), "ä = ω");
  EXPECT_EQ(sources.line_text(file, 2), "");
  EXPECT_EQ(sources.line_text(file, 3), "z");
  EXPECT_EQ(sources.line_text(file, 4), "");
}

TEST(RenderText, ShowsLoopAsInTheStyleGuide) {
  Sources sources;
  const int32_t file = sources.add("loop.cradle", "\n\n\n\n\n\ny = x + z\nx = y + 1\n");
  Diagnostic diagnostic("constructive.loop", "4 signals stay unknown at ⟨0, 0⟩");
  diagnostic.at({file, 6, 7}, "needs x").at({file, 16, 17}, "needs y");
  diagnostic.note("loop", "y → x → y").note("known", "z = 1");
  diagnostic.help("put an integral, a delay or an fby on the loop");
  EXPECT_EQ(render_text(diagnostic, sources),
            "error[constructive.loop]: 4 signals stay unknown at ⟨0, 0⟩\n"
            "  at loop.cradle:7:1\n"
            "  7 │ y = x + z\n"
            "    │ ^ needs x\n"
            "  8 │ x = y + 1\n"
            "    │ ^ needs y\n"
            "  loop: y → x → y\n"
            "  known: z = 1\n"
            "  help: put an integral, a delay or an fby on the loop\n");
}

TEST(RenderText, DropsSharedIndentationAndSortsLines) {
  Sources sources;
  const int32_t file =
      sources.add("pump.cradle", std::string(8, '\n') + "  S1 -> n1\n\n  S2 -> n1\n");
  Diagnostic diagnostic("causality.conflict", "two bonds set the effort of 0-junction n1");
  diagnostic.at({file, 22, 24}, "S2 fixes it again").at({file, 10, 12}, "S1 fixes the effort");
  EXPECT_EQ(render_text(diagnostic, sources),
            "error[causality.conflict]: two bonds set the effort of 0-junction n1\n"
            "  at pump.cradle:11:3\n"
            "  9 │ S1 -> n1\n"
            "    │ ^^ S1 fixes the effort\n"
            " 11 │ S2 -> n1\n"
            "    │ ^^ S2 fixes it again\n");
}

TEST(RenderText, KeepsOneLineForSeveralMarks) {
  Sources sources;
  const int32_t file = sources.add("a", "f(x\n");
  Diagnostic diagnostic("k", "m");
  diagnostic.warning().at({file, 3, 3}, "end").at({file, 1, 2});
  EXPECT_EQ(render_text(diagnostic, sources),
            "warning[k]: m\n"
            "  at a:1:4\n"
            "  1 │ f(x\n"
            "    │    ^ end\n"
            "    │  ^\n");
}

TEST(RenderText, ShowsEachFileUnderItsOwnPlace) {
  Sources sources;
  const int32_t a = sources.add("a", "one\n");
  const int32_t b = sources.add("b", "\ntwo\n");
  Diagnostic diagnostic("k", "m");
  diagnostic.at({a, 0, 3}, "here").at({b, 1, 4}, "and there").at({}, "nowhere");
  EXPECT_EQ(render_text(diagnostic, sources),
            "error[k]: m\n"
            "  at a:1:1\n"
            "  1 │ one\n"
            "    │ ^^^ here\n"
            "  at b:2:1\n"
            "  2 │ two\n"
            "    │ ^^^ and there\n");
}

TEST(RenderText, DoesWithoutAPlace) {
  EXPECT_EQ(render_text(Diagnostic("k", "m").note("cycle", "a\nb"), Sources()),
            "error[k]: m\n  cycle: a\n         b\n");
}

TEST(RenderText, MarksMultipleLinesUpToTheEndOfTheFirst) {
  Sources sources;
  const int32_t file = sources.add("a", "ab cd\nef\n");
  EXPECT_EQ(render_text(Diagnostic("k", "m").at({file, 3, 8}), sources),
            "error[k]: m\n  at a:1:4\n  1 │ ab cd\n    │    ^^\n");
}

TEST(RenderText, ShowsAWindowOfALongLine) {
  Sources sources;
  const int32_t file = sources.add("a", std::string(5000, 'x') + "!" + std::string(5000, 'y'));
  const std::string text =
      render_text(Diagnostic("k", "m").at({file, 5000, 5001}, "here"), sources);
  EXPECT_NE(text.find("…" + std::string(40, 'x') + "!" + std::string(79, 'y') + "…\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n    │ " + std::string(41, ' ') + "^ here\n"), std::string::npos) << text;
}

TEST(RenderText, ReplacesWhatATerminalShouldNotSee) {
  Sources sources;
  const int32_t file = sources.add("a", "\t\x1b[2J\xff x");
  EXPECT_EQ(render_text(Diagnostic("k", "m").at({file, 7, 8}), sources),
            "error[k]: m\n  at a:1:8\n  1 │ \uFFFD[2J\uFFFD x\n    │       ^\n");
}

TEST(RenderJson, HasStableKeys) {
  Sources sources;
  const int32_t file = sources.add("a", "x = y\n");
  const std::string json = render_json(
      {Diagnostic("name.unknown", "y is \xff").at({file, 4, 5}, "here").help("h")}, sources);
  EXPECT_EQ(json, R"([
  {
    "severity": "error",
    "kind": "name.unknown",
    "message": "y is �",
    "file": "a",
    "line": 1,
    "column": 5,
    "end_line": 1,
    "end_column": 6,
    "labels": [
      {
        "file": "a",
        "line": 1,
        "column": 5,
        "end_line": 1,
        "end_column": 6,
        "text": "here"
      }
    ],
    "notes": [
      {
        "key": "help",
        "text": "h"
      }
    ]
  }
]
)");
  EXPECT_EQ(render_json({}, sources), "[]\n");
}

TEST(Suggest, FindsNearNamesOnly) {
  const std::vector<std::string> names = {"mass", "restitution", "J_break", "x1", "v"};
  EXPECT_EQ(suggest("masss", names), "mass");
  EXPECT_EQ(suggest("amss", names), "mass");  // neighbours swapped
  EXPECT_EQ(suggest("j_break", names), "J_break");
  EXPECT_EQ(suggest("resttiuton", names), "restitution");
  EXPECT_EQ(suggest("x", names), "x1");
  EXPECT_EQ(suggest("w", names), "");  // one letter for another is no suggestion
  EXPECT_EQ(suggest("gap", names), "");
  EXPECT_EQ(suggest("", names), "");
  EXPECT_EQ(suggest("mass", names), "");
  EXPECT_EQ(suggest(std::string(1000, 'm'), {std::string(1001, 'm')}), "");
}

TEST(Suggest, PrefersTheNearestAndThenTheFirst) {
  EXPECT_EQ(suggest("body", {"bodies", "body1", "body2"}), "body1");
}

}  // namespace
}  // namespace cradle
