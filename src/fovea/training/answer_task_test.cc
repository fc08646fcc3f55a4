// Questions about pictures and labels of them: where they come from, and that learning from them
// ends in the same bytes however it was run.
#include "fovea/training/answer_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "fovea/base/parallel.h"
#include "fovea/io/reader_test_tools.h"
#include "fovea/models/answerer_test_tools.h"
#include "fovea/training/answer_exam.h"
#include "fovea/training/asked_batch.h"
#include "fovea/training/class_task.h"

namespace fovea {
namespace {

AnswererOptions tiny_answerer() {
  AnswererOptions options = small_answerer();
  options.width = options.height = 32;
  return options;
}

std::unique_ptr<AskedPictures> few_scenes(AskedScenes::What what = AskedScenes::What::kQuestions) {
  return asked_scenes({.what = what, .size = 32, .held_out_count = 6},
                      {.pictures = 3, .questions = 4});
}

QuestionedPictures some_files(Index count) {
  QuestionedPictures files;
  for (Index i = 0; i < count; ++i) {
    files.names.push_back(std::to_string(i) + ".png");
    files.images.push_back(some_picture(static_cast<std::uint64_t>(i)));
    for (Index q = 0; q <= i % 3; ++q) {
      files.questions.push_back({i, "question " + std::to_string(q), std::to_string(i)});
    }
  }
  return files;
}

class StopAt final : public Observer {
 public:
  StopAt(Index step, std::atomic<bool>& stop) : step_(step), stop_(stop) {}
  void stepped(const Progress& progress) override { stop_ = progress.step >= step_; }

 private:
  Index step_;
  std::atomic<bool>& stop_;
};

// Six steps, in one go or stopped after the third, with so many threads.
template <class Learn>
std::string file_of_run(const Learn& learn, int count, bool interrupted) {
  const ScratchFolder folder;
  const int before = threads();
  set_threads(count);
  TrainOptions options{.out = folder / "m",
                       .steps = 6,
                       .schedule = Cosine{.rate = 3e-3f, .steps = 6},
                       .max_norm = 1,
                       .validate_every = 3};
  if (interrupted) {
    std::atomic<bool> stop = false;
    StopAt observer(3, stop);
    options.stop = &stop;
    learn(options, &observer);
    options.stop = nullptr;
    options.start = TrainOptions::Start::kResume;
  }
  learn(options, nullptr);
  set_threads(before);
  return folder.read("m");
}

template <class Learn>
void expect_same_bytes(const Learn& learn) {
  const std::string whole = file_of_run(learn, 1, false);
  ASSERT_FALSE(whole.empty());
  EXPECT_TRUE(file_of_run(learn, 2, false) == whole) << "two threads";
  EXPECT_TRUE(file_of_run(learn, 1, true) == whole) << "interrupted";
}

void run_task(Task& task, const TrainOptions& options, Observer* observer) {
  if (observer != nullptr) {
    train(task, options, *observer);
  } else {
    train(task, options);
  }
}

TEST(AnswerTask, SameBytesWithOneAndTwoThreadsInterruptedOrNot) {
  expect_same_bytes([](const TrainOptions& options, Observer* observer) {
    const auto data = few_scenes();
    AnswerModel model = make_answer_model(tiny_answerer(), *data, {.seed = 3});
    AnswerTask task(model, *data);
    run_task(task, options, observer);
  });
}

TEST(ClassTask, SameBytesWithOneAndTwoThreadsInterruptedOrNot) {
  expect_same_bytes([](const TrainOptions& options, Observer* observer) {
    const auto data = few_scenes(AskedScenes::What::kKicker);
    ClassModel model = make_class_model(
        {.image = {.widths = {4, 8}}, .width = 32, .height = 32, .self_attention = true}, *data,
        {.seed = 3});
    ClassTask task(model, *data);
    run_task(task, options, observer);
  });
}

TEST(AskedScenes, AreAFunctionOfTheirNumberAndKnowTheirAnswers) {
  const auto data = few_scenes();
  const auto once = data->batch(5), again = few_scenes()->batch(5), next = data->batch(6);
  ASSERT_EQ(once.size(), 3u);
  EXPECT_EQ(once[1].image, again[1].image);
  EXPECT_FALSE(once[1].image == next[1].image);
  EXPECT_EQ(once[1].questions[3].text, again[1].questions[3].text);
  const AnswerModel model = make_answer_model(tiny_answerer(), *data, {.seed = 3});
  EXPECT_EQ(model.classes().size(), 22u);  // 6 colours, 5 actions, 0 to 5, 3 places, yes and no
  for (const AskedPicture& picture : data->held_out(0, 6)) {
    ASSERT_EQ(picture.questions.size(), 5u);
    for (const AskedQuestion& q : picture.questions) EXPECT_GE(model.answer_id(q.answer), 0);
  }
}

TEST(AskedFiles, EveryPictureOnceInAnEpochWithSomeOfItsQuestions) {
  const auto data = asked_files({.train = some_files(7), .held_out = some_files(2)},
                                {.pictures = 4, .questions = 2});
  for (const Index epoch : {0, 1}) {
    std::multiset<std::string> seen;
    for (const Index b : {0, 1}) {
      for (const AskedPicture& picture : data->batch(2 * epoch + b)) {
        ASSERT_LE(picture.questions.size(), 2u);
        seen.insert(picture.questions[0].answer);
        if (picture.questions.size() == 2) {
          EXPECT_NE(picture.questions[0].text, picture.questions[1].text);
        }
      }
    }
    EXPECT_EQ(seen, (std::multiset<std::string>{"0", "1", "2", "3", "4", "5", "6"}));
  }
  EXPECT_EQ(data->texts().size(), 13u);
  EXPECT_EQ(data->held_out(1, 2)[0].questions.size(), 2u);
  EXPECT_EQ(asked_files({.train = {}, .held_out = some_files(2)}, {})->held_out_count(), 2);
}

TEST(AskedBatch, WhoHasFewerQuestionsIsAskedHisLastAgainForNothing) {
  const AnswerModel model = small_answer_model();
  const std::vector<AskedPicture> pictures = {
      {some_picture(1), {{"where is the ball", "left"}, {"how many", "nobody knows"}}},
      {some_picture(2), {{"what colour", "red"}}}};
  const AskedBatch batch = asked_batch(model, pictures);
  EXPECT_EQ(batch.each, 2);
  const auto labels = batch.labels.values();
  EXPECT_EQ(std::vector<std::int32_t>(labels.begin(), labels.end()),
            (std::vector<std::int32_t>{1, -1, 0, -1}));
  EXPECT_EQ(batch.questions.lengths, (std::vector<Index>{4, 2, 2, 2}));
}

TEST(AskedFiles, LabelsAreAnswersToNoQuestion) {
  LabelledPictures labelled;
  labelled.images = {some_picture(1), some_picture(2)};
  labelled.labels = Ids({1, 0});
  labelled.classes = {"cat", "dog"};
  const QuestionedPictures asked = questioned(labelled);
  ASSERT_EQ(asked.questions.size(), 2u);
  EXPECT_EQ(asked.questions[0].answer, "dog");
  EXPECT_EQ(asked.questions[0].text, "");
  EXPECT_EQ(asked.images.size(), 2u);
}

// Graded one by one, from what each Trace shows.
TEST(AnswerExam, GradesWhatTheModelSaysAndWhereItLooked) {
  const auto data = few_scenes();
  const AnswerModel model = make_answer_model(tiny_answerer(), *data, {.seed = 3});
  const AnswerGrades grades = examine(model, *data, 4);
  AnswerGrade by_hand{.pointed = {0, 0}};
  for (const AskedPicture& picture : data->held_out(0, 4)) {
    for (const AskedQuestion& q : picture.questions) {
      const Trace trace = model.trace(picture.image, q.text);
      ++by_hand.asked;
      by_hand.right += trace.output == q.answer ? 1 : 0;
      if (q.boxes.empty()) continue;
      ++by_hand.boxed;
      for (std::size_t hop = 0; hop < 2; ++hop) {
        const std::vector<float> w = trace.heads[hop].weights.values();
        const auto best =
            static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
        const Trace::Box cell = *trace.labels("regions")[best].box;
        const Box region{cell.x0, cell.y0, cell.x1, cell.y1};
        by_hand.pointed[hop] += std::any_of(q.boxes.begin(), q.boxes.end(), [&](const Box& box) {
          return box.contains(region.centre_x(), region.centre_y()) ||
                 region.contains(box.centre_x(), box.centre_y());
        });
      }
    }
  }
  EXPECT_EQ(grades.all.asked, 20);
  EXPECT_EQ(grades.all.right, by_hand.right);
  EXPECT_EQ(grades.all.boxed, by_hand.boxed);
  EXPECT_EQ(grades.all.pointed, by_hand.pointed);
  Index asked = 0;
  for (const auto& [kind, grade] : grades.by_kind) asked += grade.asked;
  EXPECT_EQ(asked, 20);
}

}  // namespace
}  // namespace fovea
