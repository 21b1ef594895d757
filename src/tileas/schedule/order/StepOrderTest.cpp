// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/order/StepOrder.h"

#include "gtest/gtest.h"
#include <random>

using namespace tilewright::tileas;
using llvm::SmallVector;
using Verb = ScheduleVerb;

namespace {

struct Loop {
  SmallVector<unsigned> stages;
  SmallVector<StepRole> roles;
  SmallVector<Dependence> dependences, wishes;

  unsigned add(StepRole role, unsigned stage = 0) {
    stages.push_back(stage);
    roles.push_back(role);
    return stages.size() - 1;
  }
  StepProblem problem() const { return {stages, roles, dependences, wishes}; }
  SmallVector<unsigned> order(llvm::ArrayRef<StepItem> items) const {
    LoopSchedule schedule = orderStep(problem(), items);
    return llvm::map_to_vector(schedule.order(), [](const LoopSchedule::Entry &entry) { return entry.op; });
  }
};

// Two products, work between them, and a number that only the next iteration wants.
struct Attention : Loop {
  unsigned start0 = add({StepRole::Start, 0}), wait0 = add({StepRole::Wait, 0}), number = add({StepRole::Number}),
           softmax = add({StepRole::Work}), start1 = add({StepRole::Start, 50}, 1),
           wait1 = add({StepRole::Wait, 50}, 1), release = add({StepRole::Release}, 1);

  Attention() {
    dependences = {{start0, wait0, 0}, {wait0, softmax, 0}, {softmax, start1, 0},
                   {start1, wait1, 0}, {wait1, softmax, 1}, {wait1, release, 0}};
  }
};

} // namespace

TEST(StepOrder, startsFirstAndWaitsLast) {
  Attention loop;
  // The softmax of an iteration needs values of the one before, which this step has as well.
  SmallVector<StepItem> items = {
      {Verb::Start, loop.start0}, {Verb::Start, loop.start1}, {Verb::Wait, loop.wait0}, {Verb::Wait, loop.wait1}};
  SmallVector<StepItem> found = overlapStep(loop.problem());
  EXPECT_EQ(llvm::ArrayRef(found).take_front(4), llvm::ArrayRef(items));
  EXPECT_EQ(loop.order(items), (SmallVector<unsigned>{loop.start0, loop.start1, loop.number, loop.wait0, loop.wait1,
                                                      loop.release, loop.softmax}));
}

TEST(StepOrder, placesWorkWhereItIsNamed) {
  Attention loop;
  loop.dependences.erase(loop.dependences.begin() + 4);
  SmallVector<StepItem> items = {{Verb::Start, loop.start0},
                                 {Verb::Wait, loop.wait0},
                                 {Verb::Work},
                                 {Verb::Start, loop.start1},
                                 {Verb::Wait, loop.wait1}};
  EXPECT_EQ(loop.order(items), (SmallVector<unsigned>{loop.start0, loop.number, loop.wait0, loop.softmax, loop.start1,
                                                      loop.wait1, loop.release}));
  std::swap(items[2], items[4]);
  std::swap(items[2], items[3]);
  EXPECT_EQ(loop.order(items), (SmallVector<unsigned>{loop.start0, loop.number, loop.wait0, loop.start1, loop.wait1,
                                                      loop.release, loop.softmax}));
}

TEST(StepOrder, keepsWishesWhereItCan) {
  Attention loop;
  loop.dependences.erase(loop.dependences.begin() + 4);
  loop.wishes = {{loop.wait1, loop.softmax, 1}};
  SmallVector<StepItem> items = {
      {Verb::Start, loop.start0}, {Verb::Start, loop.start1}, {Verb::Wait, loop.wait0}, {Verb::Wait, loop.wait1}};
  EXPECT_EQ(loop.order(items).back(), loop.softmax);
  // An item is no wish.
  items.insert(items.begin() + 3, {Verb::Do, loop.softmax});
  EXPECT_EQ(loop.order(items)[4], loop.softmax);
}

TEST(StepOrder, findsItemsBeforeWhatTheyNeed) {
  Attention loop;
  EXPECT_EQ(findEarlyItem(loop.problem(), {{Verb::Start, loop.start0}, {Verb::Wait, loop.wait0}}), std::nullopt);
  EXPECT_EQ(findEarlyItem(loop.problem(), {{Verb::Wait, loop.wait0}, {Verb::Start, loop.start0}}),
            std::pair(loop.wait0, loop.start0));
  // Through others, too.
  EXPECT_EQ(findEarlyItem(loop.problem(), {{Verb::Do, loop.softmax}, {Verb::Wait, loop.wait0}}),
            std::pair(loop.softmax, loop.wait0));
}

TEST(StepOrder, followsItsOwnItems) {
  std::mt19937 random(7);
  for (int round = 0; round != 500; ++round) {
    Loop loop;
    for (unsigned product = 0; product != 3; ++product) {
      unsigned stage = random() % 2;
      unsigned start = loop.add({StepRole::Start, int64_t(random() % 100)}, stage);
      unsigned wait = loop.add({StepRole::Wait, loop.roles[start].at}, stage);
      loop.dependences.push_back({start, wait, 0});
      for (unsigned others = random() % 3; others; --others)
        loop.add({random() % 2 ? StepRole::Work : StepRole::Number}, random() % 2);
    }
    for (unsigned from = 0; from != loop.stages.size(); ++from)
      for (unsigned to = 0; to != loop.stages.size(); ++to) {
        unsigned distance = from < to ? 0 : 1;
        if (random() % 4 == 0 && from != to && loop.stages[to] + distance >= loop.stages[from])
          (random() % 8 ? loop.dependences : loop.wishes).push_back({from, to, distance});
      }
    SmallVector<StepItem> items = overlapStep(loop.problem());
    EXPECT_EQ(findEarlyItem(loop.problem(), items), std::nullopt);
    LoopSchedule schedule = orderStep(loop.problem(), items);
    EXPECT_EQ(schedule.order().size(), loop.stages.size());
    EXPECT_EQ(schedule.findBroken(loop.dependences), nullptr);
  }
}
