// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_connection.hpp"

#if FARLINK_TLS

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>

#include "common/base/random.hpp"
#include "tests/support/stream_pair.hpp"
#include "tests/support/tls_files.hpp"

namespace farlink::cla::tls_connection_test {
namespace {

using config::TlsMode;
using test::StreamPair;
using test::TlsFiles;
using Statuses = std::pair<StreamStatus, StreamStatus>;

const Statuses kBothOk{StreamStatus::kOk, StreamStatus::kOk};

TlsContext context(const config::TlsConfig &config, SessionRole role) {
    auto made = TlsContext::make(config, role);
    if (!made) throw std::runtime_error(made.error());
    return std::move(*made);
}

class TlsConnectionTest : public testing::Test {
protected:
    void SetUp() override {
        active_ = files_.issue_config("active", TlsFiles::node("ipn:1.0"));
        passive_ = files_.issue_config("passive", TlsFiles::node("ipn:2.0"));
    }
    Statuses connect() {
        pair_.start_tls(context(active_, SessionRole::kActive),
                        context(passive_, SessionRole::kPassive));
        return pair_.shake_hands();
    }
    /// A connection on which octets can flow.
    void establish() { ASSERT_EQ(connect(), kBothOk) << active().reason() << passive().reason(); }
    ByteStream &active() { return pair_.active(); }
    ByteStream &passive() { return pair_.passive(); }

    /// What the passive side does, as seen by the active side's first read: the handshake of a
    /// TLS 1.3 client ends before it can be refused.
    std::string refusal_received() {
        if (!active().reason().empty()) return active().reason();
        EXPECT_EQ(StreamPair::read_once(active()).status, StreamStatus::kFailed);
        return active().reason();
    }

    TlsFiles files_;
    config::TlsConfig active_;
    config::TlsConfig passive_;
    StreamPair pair_;
};

TEST_F(TlsConnectionTest, BothSidesKnowEachOther) {
    establish();
    EXPECT_TRUE(active().secured());
    EXPECT_TRUE(passive().secured());
    ASSERT_NE(active().peer_names(), nullptr);
    EXPECT_EQ(active().peer_names()->node_ids, std::vector<std::string>{"ipn:2.0"});
    ASSERT_NE(passive().peer_names(), nullptr);
    EXPECT_EQ(passive().peer_names()->node_ids, std::vector<std::string>{"ipn:1.0"});
}

TEST_F(TlsConnectionTest, PassesOctetsBothWays) {
    establish();
    EXPECT_EQ(StreamPair::write(active(), "to and").bytes, 6U);
    EXPECT_EQ(StreamPair::read(passive(), 6), "to and");
    EXPECT_EQ(StreamPair::write(passive(), "fro").status, StreamStatus::kOk);
    EXPECT_EQ(StreamPair::read(active(), 3), "fro");
    Bytes space(10);
    EXPECT_EQ(active().read(space).status, StreamStatus::kWaitReadable);
    EXPECT_FALSE(active().has_buffered());
}

// Pieces of every size, read in steps of every size, while the sockets are full most of the time.
TEST_F(TlsConnectionTest, PassesPiecesOfAnySizeInAnySteps) {
    establish();
    Random random(7);
    std::string all(3 << 20, '\0');
    for (char &octet : all) octet = static_cast<char>(random.below(256));
    std::string arrived;
    std::size_t taken = 0;
    bool waiting = false;
    while (arrived.size() < all.size()) {
        std::vector<iovec> pieces;
        std::size_t ahead = taken;
        while (ahead < all.size() && pieces.size() < 20) {
            const std::size_t size = std::min<std::size_t>(
                all.size() - ahead, random.below(4) == 0 ? random.below(60'000) : random.below(40));
            pieces.push_back({all.data() + ahead, size});
            ahead += size;
        }
        if (!pieces.empty() || waiting) {
            const StreamResult result = active().write(pieces);
            ASSERT_NE(result.status, StreamStatus::kFailed) << active().reason();
            taken += result.bytes;
            waiting = result.status == StreamStatus::kWaitWritable;
        }
        if (!waiting && random.below(2) == 0 && taken < all.size()) continue;
        Bytes space(1 + random.below(random.below(2) == 0 ? 100 : 100'000));
        const StreamResult result = passive().read(space);
        ASSERT_NE(result.status, StreamStatus::kFailed) << passive().reason();
        arrived.append(reinterpret_cast<const char *>(space.data()), result.bytes);
    }
    EXPECT_EQ(taken, all.size());
    EXPECT_TRUE(arrived == all);
}

TEST_F(TlsConnectionTest, OneReadFillsALargeSpace) {
    establish();
    EXPECT_EQ(StreamPair::write(active(), std::string(100'000, 'x')).status, StreamStatus::kOk);
    ASSERT_TRUE(StreamPair::wait(passive(), StreamPair::kLimitMs, StreamStatus::kWaitReadable));
    Bytes space(99'999);
    EXPECT_EQ(passive().read(space).bytes, 99'999U);
    EXPECT_TRUE(passive().has_buffered()) << "one octet is left";
    EXPECT_EQ(passive().read(space).bytes, 1U);
    EXPECT_FALSE(passive().has_buffered());
}

// Below TLS: the lengths in the headers of records (RFC 8446 section 5.2).
TEST_F(TlsConnectionTest, SmallPiecesShareRecords) {
    establish();
    std::string text = "0123456789";
    const std::vector<iovec> pieces(4'000, iovec{text.data(), text.size()});
    EXPECT_EQ(active().write(pieces).bytes, 40'000U);
    std::vector<std::size_t> records;
    std::array<std::uint8_t, 60'000> raw;
    const int fd = passive().socket().native_handle();
    const ssize_t size = ::recv(fd, raw.data(), raw.size(), 0);
    for (ssize_t at = 0; at + 5 <= size;) {
        records.push_back(load_be<std::uint16_t>(raw.data() + at + 3));
        at += 5 + static_cast<ssize_t>(records.back());
    }
    // An octet for the inner type and 16 for the tag of AES-GCM.
    EXPECT_EQ(records, (std::vector<std::size_t>{16'384 + 17, 16'384 + 17, 7'232 + 17}));
}

TEST_F(TlsConnectionTest, HoldsRecordsThatTheKernelDoesNotTake) {
    establish();
    const std::string block(1 << 20, 'b');
    std::size_t taken = 0;
    StreamResult result;
    while (result.status == StreamStatus::kOk) {
        result = StreamPair::write(active(), block);
        taken += result.bytes;
    }
    ASSERT_EQ(result.status, StreamStatus::kWaitWritable);
    // All that was taken arrives, although nothing more is written but what was held.
    std::size_t arrived = 0;
    while (arrived < taken) {
        Bytes space(1 << 20);
        const StreamResult read = passive().read(space);
        ASSERT_NE(read.status, StreamStatus::kFailed);
        arrived += read.bytes;
        ASSERT_NE(active().write({}).status, StreamStatus::kFailed);
    }
    EXPECT_EQ(arrived, taken);
    EXPECT_EQ(active().write({}).status, StreamStatus::kOk);
}

TEST_F(TlsConnectionTest, HalfCloses) {
    establish();
    EXPECT_EQ(StreamPair::write(active(), "last words").status, StreamStatus::kOk);
    active().shut_down_writing();
    EXPECT_EQ(StreamPair::read(passive(), 100), "last words");
    EXPECT_EQ(StreamPair::read_once(passive()).status, StreamStatus::kEnded);
    EXPECT_EQ(StreamPair::write(passive(), "answer").status, StreamStatus::kOk);
    EXPECT_EQ(StreamPair::read(active(), 6), "answer");
}

// The end has come with the octets before it and must not be waited for.
TEST_F(TlsConnectionTest, TellsThatTheEndIsKnown) {
    establish();
    EXPECT_EQ(StreamPair::write(active(), "last words").status, StreamStatus::kOk);
    active().shut_down_writing();
    const StreamResult first = StreamPair::read_once(passive());
    EXPECT_EQ(first.status, StreamStatus::kOk);
    EXPECT_EQ(first.bytes, 10U);
    EXPECT_TRUE(passive().has_buffered());
    Bytes space(10);
    EXPECT_EQ(passive().read(space).status, StreamStatus::kEnded);
}

TEST_F(TlsConnectionTest, AMissingCloseNotifyIsAnEndToo) {
    establish();
    ::shutdown(active().socket().native_handle(), SHUT_WR);
    EXPECT_EQ(StreamPair::read_once(passive()).status, StreamStatus::kEnded);
}

// SIGPIPE would end the test program.
TEST_F(TlsConnectionTest, FailsWithAReasonWhenThePeerIsGone) {
    establish();
    passive().socket().set_option(boost::asio::socket_base::linger(true, 0));
    passive().close();
    EXPECT_EQ(StreamPair::read_once(active()).status, StreamStatus::kFailed);
    EXPECT_EQ(active().reason(), "Connection reset by peer");
    EXPECT_EQ(StreamPair::write(active(), "lost").status, StreamStatus::kFailed);
    active().shut_down_writing();
}

TEST_F(TlsConnectionTest, BadRecordsEndTheConnection) {
    establish();
    std::string noise = "hhhhhthis is not what the key makes of it";
    const std::array<char, 5> header{0x17, 3, 3, 0, static_cast<char>(noise.size() - 5)};
    std::ranges::copy(header, noise.begin());
    ::send(active().socket().native_handle(), noise.data(), noise.size(), MSG_NOSIGNAL);
    EXPECT_EQ(StreamPair::read_once(passive()).status, StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(), "decryption failed or bad record mac");
}

TEST_F(TlsConnectionTest, RefusesAnExpiredCertificate) {
    auto spec = TlsFiles::node("ipn:2.0");
    spec.validity = TlsFiles::valid_days(-1);
    files_.issue("passive", spec);
    EXPECT_EQ(connect().first, StreamStatus::kFailed);
    EXPECT_EQ(active().reason(), "the peer's certificate is refused: certificate has expired");
    EXPECT_EQ(passive().reason(), "the peer sent a TLS alert: certificate expired");
}

TEST_F(TlsConnectionTest, RefusesTheCertificateOfAnotherAuthority) {
    TlsFiles others;
    active_.certificate_file = others.issue_config("x", TlsFiles::node("ipn:1.0")).certificate_file;
    active_.key_file = others.path("x.key");
    EXPECT_EQ(connect().second, StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(),
              "the peer's certificate is refused: unable to get local issuer certificate");
    EXPECT_EQ(refusal_received(), "the peer sent a TLS alert: unknown CA");
}

TEST_F(TlsConnectionTest, AsksForTheClientsCertificate) {
    active_.certificate_file.clear();
    active_.key_file.clear();
    EXPECT_EQ(connect().second, StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(), "peer did not return a certificate");
}

TEST_F(TlsConnectionTest, DoesWithoutTheClientsCertificateWhenTlsIsOptional) {
    active_.certificate_file.clear();
    active_.key_file.clear();
    passive_.mode = TlsMode::kOptional;
    establish();
    EXPECT_EQ(passive().peer_names(), nullptr);
}

TEST_F(TlsConnectionTest, RefusesACertificateForOtherPurposes) {
    auto spec = TlsFiles::node("ipn:1.0");
    spec.purposes = {"1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"};
    files_.issue("active", spec);
    EXPECT_EQ(connect().second, StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(),
              "the peer's certificate is refused: unsuitable certificate purpose");
}

// RFC 9174 section 4.4.2: neither purposes nor a subject are needed, and the purpose of a web
// server is not asked for.
TEST_F(TlsConnectionTest, AcceptsWhatTheProfileAllows) {
    auto bare = TlsFiles::node("ipn:1.0");
    bare.purposes.clear();
    bare.common_name.clear();
    files_.issue("active", bare);
    auto bundles_only = TlsFiles::node("ipn:2.0");
    bundles_only.purposes = {kBundleSecurityOid};
    files_.issue("passive", bundles_only);
    establish();
}

TEST_F(TlsConnectionTest, InsecureChecksNothingAndProvesNothing) {
    TlsFiles others;
    active_ = others.issue_config("x", TlsFiles::node("ipn:1.0"));
    for (config::TlsConfig *const config : {&active_, &passive_}) {
        config->ca_file.clear();
        config->insecure = true;
    }
    establish();
    EXPECT_EQ(active().peer_names(), nullptr);
    EXPECT_EQ(passive().peer_names(), nullptr);
}

// The certificate must come from the authority, and proves no node id.
TEST_F(TlsConnectionTest, ChainAloneProvesNothing) {
    for (config::TlsConfig *const config : {&active_, &passive_}) config->chain_only = true;
    establish();
    EXPECT_EQ(active().peer_names(), nullptr);
    EXPECT_EQ(passive().peer_names(), nullptr);
}

TEST_F(TlsConnectionTest, ChainOfAnotherAuthorityIsRefused) {
    TlsFiles others;
    active_ = others.issue_config("x", TlsFiles::node("ipn:1.0"));
    for (config::TlsConfig *const config : {&active_, &passive_}) config->chain_only = true;
    EXPECT_EQ(connect().second, StreamStatus::kFailed);
}

TEST_F(TlsConnectionTest, APeerThatDoesNotSpeakTlsFails) {
    passive().start_tls(context(passive_, SessionRole::kPassive), SessionRole::kPassive, "");
    EXPECT_EQ(passive().handshake(), StreamStatus::kWaitReadable);
    StreamPair::write(active(), "dtn!\x04\x01 and no TLS");
    ASSERT_TRUE(StreamPair::wait(passive(), StreamPair::kLimitMs, StreamStatus::kWaitReadable));
    EXPECT_EQ(passive().handshake(), StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(), "wrong version number");
}

TEST_F(TlsConnectionTest, APeerThatLeavesFails) {
    passive().start_tls(context(passive_, SessionRole::kPassive), SessionRole::kPassive, "");
    active().close();
    ASSERT_TRUE(StreamPair::wait(passive(), StreamPair::kLimitMs, StreamStatus::kWaitReadable));
    EXPECT_EQ(passive().handshake(), StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(), "the peer closed the connection during the TLS handshake");
}

/// A client with its own mind, by OpenSSL alone.
class OtherClient {
public:
    OtherClient(const config::TlsConfig &config, int fd, int version)
        : context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free), ssl_(nullptr, &SSL_free) {
        SSL_CTX_set_security_level(context_.get(), 0);
        SSL_CTX_set_min_proto_version(context_.get(), version);
        SSL_CTX_set_max_proto_version(context_.get(), version);
        SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");
        SSL_CTX_use_certificate_chain_file(context_.get(), config.certificate_file.c_str());
        SSL_CTX_use_PrivateKey_file(context_.get(), config.key_file.c_str(), SSL_FILETYPE_PEM);
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), fd);
        SSL_set_connect_state(ssl_.get());
    }
    [[nodiscard]] SSL *ssl() const { return ssl_.get(); }
    /// Runs the handshake against `stream` until either side has an outcome.
    StreamStatus shake_hands(ByteStream &stream) const {
        StreamStatus status = StreamStatus::kWaitReadable;
        for (int i = 0; i < 20 && status == StreamStatus::kWaitReadable; ++i) {
            SSL_do_handshake(ssl_.get());
            status = stream.handshake();
        }
        SSL_do_handshake(ssl_.get());
        return status;
    }

private:
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

class TlsVersions : public TlsConnectionTest {
protected:
    StreamStatus accept(int version) {
        const auto passive_context = context(passive_, SessionRole::kPassive);
        passive().start_tls(passive_context, SessionRole::kPassive, "");
        client_ =
            std::make_unique<OtherClient>(active_, active().socket().native_handle(), version);
        return client_->shake_hands(passive());
    }
    std::unique_ptr<OtherClient> client_;
};

TEST_F(TlsVersions, RefusesTls11) {
    EXPECT_EQ(accept(TLS1_1_VERSION), StreamStatus::kFailed);
    EXPECT_EQ(passive().reason(), "unsupported protocol");
}

TEST_F(TlsVersions, SpeaksTls12WithForwardSecrecyOnly) {
    EXPECT_EQ(accept(TLS1_2_VERSION), StreamStatus::kOk) << passive().reason();
    EXPECT_STREQ(SSL_get_cipher_name(client_->ssl()), "ECDHE-ECDSA-AES128-GCM-SHA256");
    EXPECT_EQ(StreamPair::write(passive(), "hello").status, StreamStatus::kOk);
    std::array<char, 5> last_received{};
    EXPECT_EQ(SSL_read(client_->ssl(), last_received.data(), 5), 5);
}

TEST_F(TlsVersions, PrefersAes128InTls13) {
    EXPECT_EQ(accept(TLS1_3_VERSION), StreamStatus::kOk) << passive().reason();
    EXPECT_STREQ(SSL_get_cipher_name(client_->ssl()), "TLS_AES_128_GCM_SHA256");
}

// RFC 8446 section 4.6.3: both directions go on under new keys.
TEST_F(TlsVersions, FollowsKeyUpdates) {
    ASSERT_EQ(accept(TLS1_3_VERSION), StreamStatus::kOk);
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(SSL_key_update(client_->ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
        ASSERT_EQ(SSL_write(client_->ssl(), "ping", 4), 4);
        EXPECT_EQ(StreamPair::read(passive(), 4), "ping");
        EXPECT_EQ(StreamPair::write(passive(), "pong").status, StreamStatus::kOk);
        std::array<char, 4> last_received{};
        ASSERT_EQ(SSL_read(client_->ssl(), last_received.data(), 4), 4);
    }
}

}  // namespace
}  // namespace farlink::cla::tls_connection_test

#endif  // FARLINK_TLS
