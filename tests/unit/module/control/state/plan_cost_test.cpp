// SPDX-License-Identifier: Apache-2.0
// What a new plan of many contacts costs, from the text of its request to its files.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "module/control/core/json/request_json.hpp"
#include "module/control/core/plan_edit.hpp"
#include "module/control/state/contact_plan_store.hpp"
#include "tests/support/counting_allocator/counting_allocator.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::control::plan_cost_test {
namespace {

constexpr DtnTime kStart = 700'000'000'000;

std::string request_of(std::size_t contacts) {
    std::string text = R"({"command":"plan replace","contacts":[)";
    for (std::size_t i = 0; i < contacts; ++i)
        text += (i == 0 ? "{\"contact\":" : ",{\"contact\":") + std::to_string(i) +
                R"(,"source":10,"dest":20,"startTime":)" + std::to_string(i * 10) +
                R"(,"endTime":)" + std::to_string(i * 10 + 9) + '}';
    return text + "]}";
}

/// How often memory is asked for while a node without a plan reads, checks and writes one.
std::size_t steps_for(std::size_t contacts) {
    const test::TempFolder folder;
    config::NodeConfig config;
    config.node = NodeNumber{10};
    config.state_folder = folder / "state";
    config.control_socket = folder / "socket";
    ContactPlanStore store(config);
    EXPECT_EQ(store.open(kStart), "");
    const std::string text = request_of(contacts);
    const std::size_t before = test::allocations();
    const auto request = parse_request(text);
    EXPECT_TRUE(request);
    const auto edited = replace_contacts({}, (*request)["contacts"], kStart);
    EXPECT_TRUE(edited);
    auto next = store.write(*edited, "plan replace", {0, "operator"}, kStart);
    EXPECT_TRUE(next);
    const std::size_t steps = test::allocations() - before;
    store.take(std::move(*next));
    EXPECT_EQ(store.plan()->size(), contacts);
    return steps;
}

// A tree or a copy of the plan for each of these steps would take several times as many.
TEST(PlanCost, IsLinearAndSmallForEachContact) {
    constexpr std::size_t kFew = 2'000;
    constexpr std::size_t kMany = 10 * kFew;
    constexpr std::size_t kMostForAContact = 30;
    const std::size_t few = steps_for(kFew);
    const std::size_t many = steps_for(kMany);
    EXPECT_LT(many, 12 * few);
    EXPECT_LT(many, kMostForAContact * kMany);
    RecordProperty("stepsForAContact", static_cast<int>(many / kMany));
}

}  // namespace
}  // namespace farlink::control::plan_cost_test
