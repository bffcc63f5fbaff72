#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "language/syntax/lexer.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::syntax {
namespace {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  Tree tree;
  explicit Parsed(const std::string& text) {
    tree = parse(sources, sources.add("a", text), diagnostics);
  }
};

std::string format(const std::string& text) {
  const Parsed run(text);
  std::string errors;
  for (const Diagnostic& item : run.diagnostics.items()) errors += render_text(item, run.sources);
  return errors.empty() ? print(run.tree) : errors;
}

void expect_style(const std::string& text, const std::string& styled) {
  EXPECT_EQ(format(text), styled);
  EXPECT_EQ(format(styled), styled);
}

// All comments of a text, in any order.
std::vector<std::string> comments_of(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  std::vector<std::string> out;
  for (const Comment& comment : lex(sources, sources.add("a", text), diagnostics).comments) {
    out.push_back(comment.text);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string expr(const std::string& text) {
  const std::string printed = format("model M { x = " + text + " }");
  const std::string head = "model M {\n  x = ";
  if (!printed.starts_with(head)) return printed;
  return printed.substr(head.size(), printed.size() - head.size() - 3);
}

TEST(Printer, SpacesOperators) {
  EXPECT_EQ(expr("-x^2+( a-b )*c/d"), "-x^2 + (a - b) * c / d");
  EXPECT_EQ(expr("2^ - 3"), "2^-3");
  EXPECT_EQ(expr("not a and(b or c)"), "not a and (b or c)");
  EXPECT_EQ(expr("sum( x [ i ] for i in 1 .. N )"), "sum(x[i] for i in 1..N)");
  EXPECT_EQ(expr("grid[i][j]+f( )"), "grid[i, j] + f()");
  EXPECT_EQ(expr("1e-3*2.50"), "1e-3 * 2.50");
  EXPECT_EQ(expr("integral(v , start=x0)"), "integral(v, start = x0)");
  EXPECT_EQ(expr("[[1,2],[ ]]"), "[[1, 2], []]");
}

TEST(Printer, KeepsWrittenParenthesesOnce) {
  EXPECT_EQ(expr("((a * b)) + c"), "(a * b) + c");
  EXPECT_EQ(expr("a - (b - c)"), "a - (b - c)");
}

TEST(Printer, AddsTheParenthesesThatATreeNeeds) {
  const auto leaf = [](const char* name) {
    Path path;
    path.segments.push_back({{name, {}}, {}});
    return std::make_unique<Expr>(Expr{PathExpr{std::move(path)}, {}, false, {}, 1});
  };
  const auto binary = [](BinaryOp op, ExprPtr a, ExprPtr b) {
    return std::make_unique<Expr>(
        Expr{BinaryExpr{op, std::move(a), std::move(b), {}}, {}, false, {}, 1});
  };
  EXPECT_EQ(print(*binary(BinaryOp::Sub, leaf("a"), binary(BinaryOp::Sub, leaf("b"), leaf("c")))),
            "a - (b - c)");
  EXPECT_EQ(print(*binary(BinaryOp::Sub, binary(BinaryOp::Sub, leaf("a"), leaf("b")), leaf("c"))),
            "a - b - c");
  EXPECT_EQ(print(*binary(BinaryOp::Pow, binary(BinaryOp::Pow, leaf("a"), leaf("b")), leaf("c"))),
            "(a^b)^c");
  EXPECT_EQ(print(*binary(BinaryOp::Mul, binary(BinaryOp::Add, leaf("a"), leaf("b")), leaf("c"))),
            "(a + b) * c");
  EXPECT_EQ(print(*binary(BinaryOp::Less, binary(BinaryOp::Less, leaf("a"), leaf("b")), leaf("c"))),
            "(a < b) < c");
  Expr number{NumberLiteral{-2.5, ""}, {}, false, {}, 1};
  EXPECT_EQ(print(number), "(-2.5)");
}

TEST(Printer, WritesEveryItem) {
  expect_style(
      "import \"a.cradle\" component A{port a,b port  rotational  shaft,thermal input u,w=3 output "
      "y=1 require a>0,\"why\"\n"
      "assert  always a<b assert never a and b,\"why not\" assert=2 assert->a\n"
      "param a=1,b=2;I x(law( p )=p/m),y() Se s=3 1 v,w v->x b[i]:v->w a->b->c x[i]=3\n"
      "for i in 1..N{y=1}if a{}else if b{z=1}else{z=2} until 2 show a,b priority A>B>C\n"
      "0/E F initially off{active on inactive off on->off when a after eps priority 1},G}",
      R"(import "a.cradle"

component A {
  port a, b
  port rotational shaft, thermal
  input u, w = 3
  output y = 1
  require a > 0, "why"
  assert always a < b
  assert never a and b, "why not"
  assert = 2
  assert -> a
  param a = 1, b = 2
  I x(law(p) = p / m), y()
  Se s = 3
  1 v, w
  v -> x
  b[i]: v -> w
  a -> b -> c
  x[i] = 3
  for i in 1..N {
    y = 1
  }
  if a {} else if b {
    z = 1
  } else {
    z = 2
  }
  until 2
  show a, b
  priority A > B > C
  0/E F initially off {
    active on
    inactive off
    on -> off after eps priority 1 when a
  }
  0/E G
}
)");
}

TEST(Printer, WritesAnimations) {
  expect_style(
      "model M{animate{circle ball[i]radius r(1)+2 at(0,y)// ball\nbox b size[1,2] at pos when a>b "
      "label\"a \\\"b\\\"\"fill orange angle-x line l to(1,2)from((a),b)\n"
      "for i in 1..N{circle c at(a+b)*v radius 1}if a{}else if b{line m from p to q}\n// end\n}"
      "animate{}animate{// why\n"
      "box long_name at (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb) size "
      "(cccccccccccccccc, dddddddddddddd) when eeeeeeeeeeeee}}",
      R"(model M {
  animate {
    circle ball[i] at (0, y) radius r(1) + 2  // ball
    box b at pos size [1, 2] angle -x fill orange label "a \"b\"" when a > b
    line l from ((a), b) to (1, 2)
    for i in 1..N {
      circle c at (a + b) * v radius 1
    }
    if a {} else if b {
      line m from p to q
    }
    // end
  }
  animate {}
  animate {  // why
    box long_name at (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb)
        size (cccccccccccccccc, dddddddddddddd) when eeeeeeeeeeeee
  }
}
)");
}

TEST(Printer, WritesModalModels) {
  expect_style(
      "block B{input u=absent\noutput y=u}\n"
      "model M{modal ball[i]initially falling{param p=1;mode falling{x=integral(v,10)}// one\n"
      "final mode done{}\n// bounce\nfalling->falling when hit priority 1 immediate preemptive "
      "default history{set v=-e*v}\n"
      "falling->done when stop{set x=x output y[1]=2}falling->done when late{}\n"
      "falling->done when late{// why\nset x=1}\n"
      "falling->done when late and some_name_that_is_long or another_that_is_longer{set "
      "position=x_of_the_ball*2}\n"
      "}\nwhen e>1{x=1 // in it\nwhen f{y=2}}when x{}}",
      R"(block B {
  input u = absent
  output y = u
}

model M {
  modal ball[i] initially falling {
    param p = 1
    mode falling {
      x = integral(v, 10)
    }  // one
    final mode done {}
    // bounce
    falling -> falling history default preemptive immediate priority 1 when hit { set v = -e * v }
    falling -> done when stop {
      set x = x
      output y[1] = 2
    }
    falling -> done when late
    falling -> done when late {  // why
      set x = 1
    }
    falling -> done when late and some_name_that_is_long or another_that_is_longer {
      set position = x_of_the_ball * 2
    }
  }
  when e > 1 {
    x = 1  // in it
    when f {
      y = 2
    }
  }
  when x {}
}
)");
}

TEST(Printer, BreaksLongLinesWhereTheyHoldLeast) {
  expect_style(
      "model M {\n  long = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa * bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + "
      "cccccccccccccccccccccccccccc * (dddddddddddddddddd + eeeeeeeeeeeee)\n}\n",
      R"(model M {
  long = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa * bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb +
      cccccccccccccccccccccccccccc * (dddddddddddddddddd + eeeeeeeeeeeee)
}
)");
  std::string names = "a1";
  for (int i = 2; i <= 60; ++i) names += ", a" + std::to_string(i);
  const std::string styled = format("model M { param N = 1  1 " + names + "  show " + names + "}");
  EXPECT_EQ(format(styled), styled);
  std::istringstream lines(styled);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Printer, KeepsCommentsAndSingleBlankLines) {
  expect_style(R"(

// header


// of the file

/* about M */ model M { // open

  param mass = 1, // kg
   // the speed
   speed = 2 // m/s


  x = 1; // semi
  show a, // first
    b // second
  I body(m, // the mass
    law(p) = p / m) /* why */
  a -> // inside
   b
  for i in 1..2 { // loop
    // nothing
  } // done
  0 F { // body
    // closed
    active on
    on -> off // fast
      when a

    // last
  }
  // end
} // bye
// tail
)",
               R"(// header

// of the file

/* about M */
model M {  // open
  param mass = 1,  // kg
      // the speed
      speed = 2  // m/s

  x = 1  // semi
  show a,  // first
      b  // second
  I body(m,  // the mass
      law(p) = p / m)  /* why */
  a -> b  // inside
  for i in 1..2 {  // loop
    // nothing
  }  // done
  0 F {  // body
    // closed
    active on
    on -> off when  // fast
        a

    // last
  }
  // end
}  // bye
// tail
)");
}

TEST(Printer, BreaksALongTransitionBeforeWhen) {
  expect_style(
      "model M { 0 F { stuck -> leaving_forward priority 1 when finite(F.e) > F_break or "
      "J_break < inf and impulse(F.e) > J_break } }",
      R"(model M {
  0 F {
    stuck -> leaving_forward priority 1
        when finite(F.e) > F_break or J_break < inf and impulse(F.e) > J_break
  }
}
)");
}

TEST(Printer, AlignsTrailingComments) {
  expect_style("model M { // m\n a = 1 // one\n bcd = 12 // two\n\n e = 3 // three\n }",
               R"(model M {  // m
  a = 1     // one
  bcd = 12  // two

  e = 3  // three
}
)");
}

TEST(Printer, KeepsTheCommentsOfAnElse) {
  expect_style("model M { if a { x = 1 } // then\n else if b { } else { if c { } // c\n } }",
               R"(model M {
  if a {
    x = 1
  } else {
    // then
    if b {} else {
      if c {}  // c
    }
  }
}
)");
}

const char* const kSample = R"(import "std/electrical/diode.cradle"
component A {
  port a, b
  input u = 3
  param mass = 1, speed = [1, 2]
  require mass > 0, "why"
  for i in 1..mass {
    I body[i](mass, p = 2 * speed[i])
    b[i]: a -> body[i]
  }
  if mass > 1 { x = if a then b else c } else if d { y = 1 } else { z = -a^2 }
  0/E F initially off {
    active on, half
    inactive off
    on -> off after eps priority 1 when a and not b
    off -> on when sum(x[i] for i in 1..3) > f(a, b = 2)
  }
  1 v, w
  v -> F -> w
  show a, b
  priority F > G
  until 2
  when e > 1 { y = 2 * x }
  modal ball initially falling {
    param p = 1
    mode falling { x = integral(v, 10) }
    final mode done { }
    falling -> falling history priority 1 when hit { set v = -e * v }
    falling -> done preemptive when stop { set x = x output y[1] = 2 }
    falling -> done when late
  }
}
block B {
  input u = absent
  output y = default(u, 1)
}
)";

// Comments and blank lines thrown in between any two tokens survive, and the second print changes
// nothing.
TEST(Printer, KeepsCommentsWhereverTheyStand) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text = kSample;
  const Lexed lexed = lex(sources, sources.add("a", text), diagnostics);
  std::mt19937 random(3);
  for (int run = 0; run < 300; ++run) {
    std::string noisy;
    int at = 0;
    int serial = 0;
    for (const Token& token : lexed.tokens) {
      noisy +=
          text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(token.begin - at));
      at = token.begin;
      const std::string name = std::to_string(serial++);
      switch (random() % 24) {
        case 0:
          noisy += " // line " + name + "\n";
          break;
        case 1:
          noisy += " /* block " + name + " */ ";
          break;
        case 2:
          noisy += "\n /* two\n   lines " + name + " */\n";
          break;
        case 3:
          noisy += "\n\n";
          break;
        case 4:
          noisy += "\n// own " + name + "\n\n";
          break;
        default:
          break;
      }
    }
    const std::string printed = format(noisy);
    ASSERT_EQ(comments_of(printed), comments_of(noisy)) << noisy << "\n----\n" << printed;
    ASSERT_EQ(format(printed), printed) << noisy;
  }
}

TEST(Printer, LeavesTheSampleAlone) {
  const std::string printed = format(kSample);
  EXPECT_EQ(format(printed), printed);
}

}  // namespace
}  // namespace cradle::syntax
