// SPDX-License-Identifier: Apache-2.0
#include "cla/io/link_body.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::link_body_test {
namespace {

class Body : public LinkBody {
public:
    explicit Body(int &calls) : calls_(calls) {}
    void abandon() { mark_closed(); }
    void post_call(boost::asio::io_context &io) {
        boost::asio::post(io, while_open(*this, [](Body &self) { ++self.calls_; }));
    }

private:
    int &calls_;
};

class LinkBodyTest : public testing::Test {
protected:
    test::LinkBench bench;
    int calls = 0;
};

TEST_F(LinkBodyTest, AHandlerServesABodyThatIsOpen) {
    const auto body = make_owned<Body>(calls);
    body->post_call(bench.io);
    bench.run_idle();
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(body->closed());
}

TEST_F(LinkBodyTest, AHandlerOfAClosedBodyDoesNothing) {
    auto body = make_owned<Body>(calls);
    body->post_call(bench.io);
    body.reset();
    EXPECT_FALSE(body);
    bench.run_idle();
    EXPECT_EQ(calls, 0);
}

TEST_F(LinkBodyTest, TheOwnerAbandonsItsBodyWhenItTakesAnother) {
    auto body = make_owned<Body>(calls);
    body->post_call(bench.io);
    body = make_owned<Body>(calls);
    body->post_call(bench.io);
    bench.run_idle();
    EXPECT_EQ(calls, 1);
    const Owned<Body> moved = std::move(body);
    EXPECT_FALSE(moved->closed());
}

}  // namespace
}  // namespace farlink::cla::link_body_test
