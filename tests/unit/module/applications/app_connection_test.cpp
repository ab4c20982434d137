// SPDX-License-Identifier: Apache-2.0
#include "module/applications/app_connection.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "common/base/endpoint_links.hpp"
#include "common/runtime/clock.hpp"
#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::app_connection_test {
namespace {

class AppConnectionTest : public AppFixture {
protected:
    AppConnectionTest() { now = monotonic_now(); }

    /// A sender; the other end of its connection is `client`.
    AppConnection &send_over_socket(AppSession &session) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
        client = FileDescriptor(ends[0]);
        connection_ = cla::make_owned<AppConnection>(host_, session, FileDescriptor(ends[1]));
        connection_->start();
        return *connection_;
    }
    void send(ByteView octets) {
        EXPECT_EQ(::send(client.get(), octets.data(), octets.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(octets.size()));
        io_.poll();
    }
    [[nodiscard]] bool client_is_alone() {
        char octet = 0;
        return ::recv(client.get(), &octet, 1, MSG_DONTWAIT) == 0;
    }

    FileDescriptor client;
    std::vector<UpstreamId> closed;

private:
    boost::asio::io_context io_;
    AppConnection::Host host_{io_, buffer, core, [this] { pump(); },
                              [this](UpstreamId id) {
                                  closed.push_back(id);
                                  connection_.reset();
                              }};
    cla::Owned<AppConnection> connection_;

protected:
    void run() { io_.poll(); }
};

// It is never read again, so that only others can end it.
TEST_F(AppConnectionTest, OneThatStopsInTheMiddleOfAnAduEndsWhenOthersNeedItsMemory) {
    AppSession &session = join("ipn:10.200", false);
    send_over_socket(session);
    send(adu_message("ipn:10.142", std::string(20'000, 'x'), 900'000));
    ASSERT_TRUE(session.adu().under_way());
    ASSERT_GE(session.held_bytes(), 20'000U);

    ReceptionShares::Hold other(buffer.shares(), LinkId{kFirstEndpointLink}, "other", false, [] {});
    (void)other.ask_for_memory(monotonic_now() + milliseconds(500));
    run();
    EXPECT_FALSE(session.ended()) << "it may only be late";
    (void)other.ask_for_memory(monotonic_now() + seconds(3));
    EXPECT_FALSE(session.ended()) << "not from inside of the other one's turn";
    run();
    EXPECT_TRUE(session.ended());
    EXPECT_NE(session.why().find("too slowly"), std::string::npos) << session.why();
    EXPECT_EQ(session.held_bytes(), 0U);
    EXPECT_EQ(closed, std::vector<UpstreamId>{session.id()});
    EXPECT_TRUE(client_is_alone());
}

TEST_F(AppConnectionTest, OneThatIsClosedBeforeItsEndIsDueIsLeftAlone) {
    AppSession &session = join("ipn:10.200", false);
    AppConnection &connection = send_over_socket(session);
    send(adu_message("ipn:10.142", std::string(20'000, 'x'), 900'000));
    ReceptionShares::Hold other(buffer.shares(), LinkId{kFirstEndpointLink}, "other", false, [] {});
    (void)other.ask_for_memory(monotonic_now() + seconds(3));
    connection.abandon();
    run();
    EXPECT_FALSE(session.ended());
    EXPECT_TRUE(closed.empty());
}

}  // namespace
}  // namespace farlink::applications::app_connection_test
