// bench/models/gas.cradle as one writes it by hand: balls on a line between two walls, elastic, the
// times at which neighbours meet in a queue.
//
//   gas N UNTIL
//
// Prints where the first ball is at the end, how many collisions there were, and the time of the
// processor.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <queue>
#include <vector>

namespace {

struct Ball {
  double x, v, m, t;  // t: when it was there
  double at(double time) const { return x + v * (time - t); }
};

struct Meeting {
  double time;
  int left;
  uint64_t stamp;
  bool operator<(const Meeting& other) const { return time > other.time; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gas N UNTIL\n");
    return 2;
  }
  const int n = std::atoi(argv[1]);
  const double until = std::atof(argv[2]);
  const std::clock_t begin = std::clock();
  std::vector<Ball> balls;
  balls.push_back({0, 0, HUGE_VAL, 0});
  for (int i = 1; i <= n; ++i) {
    balls.push_back({double(i), std::sin(3.0 * i), 1 + 0.5 * std::sin(double(i)), 0});
  }
  balls.push_back({double(n + 1), 0, HUGE_VAL, 0});
  std::vector<uint64_t> stamps(balls.size(), 0);
  std::priority_queue<Meeting> queue;
  double now = 0;
  const auto predict = [&](int left) {
    if (left < 0 || left > n) return;
    const std::size_t i = static_cast<std::size_t>(left);
    ++stamps[i];
    const double speed = balls[i].v - balls[i + 1].v;
    if (!(speed > 0)) return;
    const double gap = balls[i + 1].at(now) - balls[i].at(now);
    queue.push({now + std::fmax(gap, 0) / speed, left, stamps[i]});
  };
  for (int i = 0; i <= n; ++i) predict(i);
  int64_t collisions = 0;
  while (!queue.empty() && queue.top().time <= until) {
    const Meeting meeting = queue.top();
    queue.pop();
    const auto i = static_cast<std::size_t>(meeting.left);
    if (meeting.stamp != stamps[i]) continue;
    now = meeting.time;
    ++collisions;
    Ball &a = balls[i], &b = balls[i + 1];
    a.x = a.at(now);
    b.x = b.at(now);
    a.t = b.t = now;
    const double speed = a.v - b.v;
    if (std::isinf(a.m)) {
      b.v = -b.v;
    } else if (std::isinf(b.m)) {
      a.v = -a.v;
    } else {
      a.v -= 2 * b.m / (a.m + b.m) * speed;
      b.v += 2 * a.m / (a.m + b.m) * speed;
    }
    for (int j = meeting.left - 1; j <= meeting.left + 1; ++j) predict(j);
  }
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("first %.15g events %lld seconds %.6f\n", balls[1].at(until), (long long)collisions,
              seconds);
  return 0;
}
