#include "fovea/data/scene_world.h"

#include <algorithm>
#include <cmath>

#include "fovea/data/canvas.h"

namespace fovea::football {
namespace {

constexpr float kHeight = 0.30f;     // of a player, as a share of the picture
constexpr float kHalfWidth = 0.42f;  // of a player's box, as a share of his height
constexpr float kBall = 0.11f;       // radius, as a share of a player's height
constexpr float kReach = 0.58f;      // from a kicker's feet to the ball

constexpr Colour kSkin{0.85f, 0.64f, 0.50f}, kHair{0.22f, 0.15f, 0.10f},
    kShorts{0.15f, 0.16f, 0.22f};

Colour colour_of(Dye dye) {
  switch (dye) {
    case Dye::kRed:
      return {0.85f, 0.10f, 0.12f};
    case Dye::kBlue:
      return {0.10f, 0.25f, 0.85f};
    case Dye::kYellow:
      return {0.95f, 0.88f, 0.12f};
    case Dye::kWhite:
      return {0.97f, 0.97f, 0.97f};
    case Dye::kBlack:
      return {0.06f, 0.06f, 0.07f};
    case Dye::kOrange:
      return {0.96f, 0.50f, 0.08f};
  }
  return {};
}

Box scaled(const Box& box, float by) {
  return {box.left * by, box.top * by, box.right * by, box.bottom * by};
}

// Arms and legs from the middle of the body, in heights of a player: right is where he faces, up is
// positive, 0 are the feet.
struct Pose {
  Point hip, neck;
  std::array<Point, 2> hands, knees, feet;
};

Pose pose_of(Action action) {
  switch (action) {
    case Action::kKicking:
      return {{-0.02f, 0.44f},
              {-0.10f, 0.74f},
              {{{-0.36f, 0.66f}, {0.20f, 0.56f}}},
              {{{-0.06f, 0.24f}, {0.20f, 0.32f}}},
              {{{-0.08f, 0.03f}, {0.42f, 0.20f}}}};
    case Action::kRunning:
      return {{0, 0.44f},
              {0.10f, 0.74f},
              {{{-0.22f, 0.50f}, {0.34f, 0.58f}}},
              {{{0.22f, 0.30f}, {-0.12f, 0.24f}}},
              {{{0.20f, 0.05f}, {-0.36f, 0.18f}}}};
    case Action::kJumping:
      return {{0, 0.58f},
              {0, 0.88f},
              {{{-0.32f, 1.02f}, {0.32f, 1.02f}}},
              {{{-0.20f, 0.42f}, {0.20f, 0.42f}}},
              {{{-0.16f, 0.22f}, {0.16f, 0.22f}}}};
    case Action::kStanding:
      return {{0, 0.44f},
              {0, 0.76f},
              {{{-0.18f, 0.44f}, {0.18f, 0.44f}}},
              {{{-0.07f, 0.24f}, {0.07f, 0.24f}}},
              {{{-0.09f, 0.03f}, {0.09f, 0.03f}}}};
    case Action::kWaving:
      return {{0, 0.44f},
              {0, 0.76f},
              {{{-0.18f, 0.44f}, {0.28f, 1.06f}}},
              {{{-0.07f, 0.24f}, {0.07f, 0.24f}}},
              {{{-0.09f, 0.03f}, {0.09f, 0.03f}}}};
  }
  return {};
}

class PlayerDrawing {
 public:
  PlayerDrawing(Canvas& canvas, const Player& player, float size)
      : canvas_(canvas), player_(player), size_(size), height_(kHeight * size) {}

  void draw() const {
    const Pose pose = pose_of(player_.action);
    const Colour shirt = colour_of(player_.shirt);
    canvas_.line(at({-0.16f, 0}), at({0.16f, 0}), 0.035f * height_,
                 {0.10f, 0.32f, 0.12f});  // shadow
    for (std::size_t side = 0; side < 2; ++side) {
      limb(pose.hip, pose.knees[side], 0.065f, kShorts);
      limb(pose.knees[side], pose.feet[side], 0.05f, kSkin);
    }
    for (const Point& hand : pose.hands) {
      const Point elbow{(pose.neck.x + hand.x) / 2, (pose.neck.y - 0.04f + hand.y) / 2};
      limb({pose.neck.x, pose.neck.y - 0.04f}, elbow, 0.055f, shirt);
      limb(elbow, hand, 0.04f, kSkin);
    }
    limb({pose.neck.x, pose.neck.y - 0.06f}, {pose.hip.x, pose.hip.y + 0.04f}, 0.125f, shirt);
    canvas_.disc(at({pose.neck.x, pose.neck.y + 0.13f}), 0.105f * height_, kHair);
    canvas_.disc(at({pose.neck.x + 0.02f, pose.neck.y + 0.11f}), 0.085f * height_, kSkin);
  }

 private:
  Point at(Point p) const {
    const float side = player_.faces_left ? -1.0f : 1.0f;
    return {player_.x * size_ + side * p.x * height_, player_.y * size_ - p.y * height_};
  }
  void limb(Point from, Point to, float radius, Colour colour) const {
    canvas_.line(at(from), at(to), radius * height_, colour);
  }

  Canvas& canvas_;
  const Player& player_;
  float size_, height_;
};

// Of the picture's width: too near to a border of thirds to be called left or middle.
bool between_places(float x) {
  return std::abs(x - 1.0f / 3) < 0.025f || std::abs(x - 2.0f / 3) < 0.025f;
}

Box body(float x, float y) {  // as shares of the picture
  return {x - kHalfWidth * kHeight, y - 1.1f * kHeight, x + kHalfWidth * kHeight,
          y + 0.04f * kHeight};
}

bool inside(const Box& b) { return b.left >= 0 && b.right <= 1 && b.top >= 0.06f && b.bottom <= 1; }

bool apart(const Box& a, const Box& b) {
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
}

Box ball_of(const Player& kicker) {
  const float side = kicker.faces_left ? -1.0f : 1.0f, radius = kBall * kHeight;
  const float x = kicker.x + side * kReach * kHeight, y = kicker.y - 0.10f * kHeight;
  return {x - radius, y - radius, x + radius, y + radius};
}

}  // namespace

Place place_of(const Scene& scene, const Box& box) {
  const float x = box.centre_x() / static_cast<float>(scene.size);
  return x < 1.0f / 3 ? Place::kLeft : x < 2.0f / 3 ? Place::kMiddle : Place::kRight;
}

Scene sample_scene(Random& random, Index size) {
  Scene scene{.size = size};
  const auto wanted = static_cast<std::size_t>(2 + random.below(4));
  std::vector<Box> taken;
  for (int tries = 0; scene.players.size() < wanted && tries < 400; ++tries) {
    Player player{.shirt = static_cast<Dye>(random.below(std::ssize(kDyeNames))),
                  .action = static_cast<Action>(1 + random.below(std::ssize(kActionNames) - 1)),
                  .faces_left = random.below(2) == 0,
                  .x = random.uniform(),
                  .y = random.uniform(0.42f, 0.99f)};
    const bool kicks = scene.players.empty();
    if (kicks) player.action = Action::kKicking;
    const Box box = body(player.x, player.y);
    const Box ball = ball_of(player);
    std::vector<Box> mine = {box};
    if (kicks) mine.push_back(ball);
    const bool fits = std::all_of(mine.begin(), mine.end(), [&](const Box& b) {
      return inside(b) && !between_places(b.centre_x()) &&
             std::all_of(taken.begin(), taken.end(), [&](const Box& t) { return apart(b, t); });
    });
    // Whose feet are equally far to the left has no left neighbour.
    const bool distinct =
        std::none_of(scene.players.begin(), scene.players.end(),
                     [&](const Player& p) { return std::abs(p.x - player.x) < 0.03f; });
    if (!fits || !distinct) continue;
    taken.insert(taken.end(), mine.begin(), mine.end());
    player.box = scaled(box, static_cast<float>(size));
    if (kicks) scene.ball = scaled(ball, static_cast<float>(size));
    scene.players.push_back(player);
  }
  // The kicker's number tells nothing.
  scene.kicker = static_cast<std::size_t>(random.below(std::ssize(scene.players)));
  std::swap(scene.players[0], scene.players[scene.kicker]);
  scene.ball_dye = static_cast<Dye>(random.below(std::ssize(kDyeNames)));
  return scene;
}

Image draw(const Scene& scene, Random random) {
  const auto size = static_cast<float>(scene.size);
  const float shade = random.uniform(-0.04f, 0.04f);
  const Colour grass{0.20f + shade, 0.56f + shade, 0.24f + shade};
  Canvas canvas(scene.size, scene.size, grass);
  for (int stripe = 0; stripe < 8; stripe += 2) {
    const float top = static_cast<float>(stripe) * size / 8;
    canvas.rectangle({0, top, size, top + size / 8},
                     {grass.red - 0.03f, grass.green - 0.04f, grass.blue - 0.03f});
  }
  const Colour chalk{0.72f, 0.85f, 0.72f};
  const float line = random.uniform(0.15f, 0.85f) * size;
  canvas.line({line, 0}, {line, size}, 0.006f * size, chalk);
  canvas.line({0, 0.04f * size}, {size, 0.04f * size}, 0.006f * size, chalk);

  std::vector<const Player*> back_to_front;
  for (const Player& player : scene.players) back_to_front.push_back(&player);
  std::sort(back_to_front.begin(), back_to_front.end(),
            [](const Player* a, const Player* b) { return a->y < b->y; });
  for (const Player* player : back_to_front) PlayerDrawing(canvas, *player, size).draw();
  const Point ball{scene.ball.centre_x(), scene.ball.centre_y()};
  const float radius = kBall * kHeight * size;
  canvas.disc(ball, radius, colour_of(scene.ball_dye));
  canvas.add_noise(0.015f, random);
  return canvas.image();
}

Random scene_random(std::uint64_t seed, Split split, std::uint64_t i) {
  return Random{.seed = seed}.split(0x5CE7E000u + static_cast<std::uint64_t>(split)).split(i);
}

Scene world_scene(std::uint64_t seed, Split split, std::uint64_t i, Index size) {
  Random random = scene_random(seed, split, i).split(1);
  return sample_scene(random, size);
}

}  // namespace fovea::football
