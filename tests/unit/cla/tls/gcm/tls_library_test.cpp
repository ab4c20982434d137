// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/tls_library.hpp"

#if FARLINK_TLS

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/base/random.hpp"
#include "tests/support/stream_pair.hpp"
#include "tests/support/tls_files.hpp"

namespace farlink::cla::tls_library_test {
namespace {

using test::StreamPair;
using test::TlsFiles;

constexpr std::size_t kTotalBytes = 10 << 20;

struct Suite {
    int version;
    bool passive;  ///< farlink is the side that listens
    const char *name;
};

/// The other end of a connection: OpenSSL with nothing of farlink's, and with one cipher suite.
class PlainOpenSsl {
public:
    PlainOpenSsl(const config::TlsConfig &config, int fd, const Suite &suite)
        : context_(SSL_CTX_new(TLS_method()), &SSL_CTX_free), ssl_(nullptr, &SSL_free) {
        SSL_CTX_set_min_proto_version(context_.get(), suite.version);
        SSL_CTX_set_max_proto_version(context_.get(), suite.version);
        if (suite.version == TLS1_3_VERSION)
            EXPECT_EQ(SSL_CTX_set_ciphersuites(context_.get(), suite.name), 1);
        else
            EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), suite.name), 1);
        SSL_CTX_use_certificate_chain_file(context_.get(), config.certificate_file.c_str());
        SSL_CTX_use_PrivateKey_file(context_.get(), config.key_file.c_str(), SSL_FILETYPE_PEM);
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), fd);
        if (suite.passive)
            SSL_set_connect_state(ssl_.get());
        else
            SSL_set_accept_state(ssl_.get());
    }
    [[nodiscard]] SSL *ssl() const { return ssl_.get(); }

private:
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

class TlsLibrarySuites : public testing::TestWithParam<Suite> {
protected:
    void SetUp() override {
        const auto config = files_.issue_config("farlink", TlsFiles::node("ipn:1.0"));
        const auto other = files_.issue_config("other", TlsFiles::node("ipn:2.0"));
        const SessionRole role = GetParam().passive ? SessionRole::kPassive : SessionRole::kActive;
        auto context = TlsContext::make(config, role);
        ASSERT_TRUE(context) << context.error();
        context_.emplace(std::move(*context));
        farlink().start_tls(*context_, role, "");
        other_ = std::make_unique<PlainOpenSsl>(other, other_fd(), GetParam());
        shake_hands();
        Random random(8);
        octets_.resize(kTotalBytes);
        for (std::uint8_t &octet : octets_) octet = static_cast<std::uint8_t>(random.below(256));
    }
    ByteStream &farlink() { return GetParam().passive ? pair_.passive() : pair_.active(); }
    int other_fd() {
        return (GetParam().passive ? pair_.active() : pair_.passive()).socket().native_handle();
    }
    SSL *other() { return other_->ssl(); }

    void shake_hands() {
        StreamStatus status = StreamStatus::kWaitReadable;
        for (int i = 0; i < 20 && (status != StreamStatus::kOk || !SSL_is_init_finished(other()));
             ++i) {
            SSL_do_handshake(other());
            status = farlink().handshake();
            ASSERT_NE(status, StreamStatus::kFailed) << farlink().reason();
        }
        ASSERT_EQ(status, StreamStatus::kOk);
        ASSERT_EQ(SSL_is_init_finished(other()), 1);
    }
    /// Everything from farlink to the other side, in pieces of any size.
    void send(Random &random) {
        std::size_t taken = 0;
        std::size_t arrived = 0;
        Bytes got(octets_.size());
        while (arrived < octets_.size()) {
            iovec piece{octets_.data() + taken,
                        std::min<std::size_t>(octets_.size() - taken, random.below(200'000))};
            const StreamResult written = farlink().write({&piece, 1});
            ASSERT_NE(written.status, StreamStatus::kFailed) << farlink().reason();
            taken += written.bytes;
            std::size_t more = 0;
            while (SSL_read_ex(other(), got.data() + arrived, got.size() - arrived, &more) == 1)
                arrived += more;
            ASSERT_NE(SSL_get_error(other(), 0), SSL_ERROR_SSL);
        }
        EXPECT_TRUE(got == octets_);
    }
    void receive(Random &random) {
        std::size_t taken = 0;
        std::size_t arrived = 0;
        Bytes got(octets_.size());
        while (arrived < octets_.size()) {
            std::size_t written = 0;
            const std::size_t left = octets_.size() - taken;
            // A write that did not succeed is repeated as it was, which OpenSSL requires.
            const std::size_t size = std::min<std::size_t>(left, 40'000);
            if (size > 0 && SSL_write_ex(other(), octets_.data() + taken, size, &written) == 1)
                taken += written;
            const std::size_t space =
                std::min<std::size_t>(got.size() - arrived, 1 + random.below(300'000));
            const StreamResult read = farlink().read({got.data() + arrived, space});
            ASSERT_NE(read.status, StreamStatus::kFailed) << farlink().reason();
            arrived += read.bytes;
        }
        EXPECT_TRUE(got == octets_);
    }

    TlsFiles files_;
    StreamPair pair_;
    std::optional<TlsContext> context_;
    std::unique_ptr<PlainOpenSsl> other_;
    Bytes octets_;
};

TEST_P(TlsLibrarySuites, UnderstandsOpenSslBothWays) {
    EXPECT_STREQ(SSL_get_cipher_name(other()), GetParam().name);
    Random random(9);
    send(random);
    receive(random);
}

// RFC 8446 section 4.6.3.
class TlsLibraryKeyUpdates : public TlsLibrarySuites {};

TEST_P(TlsLibraryKeyUpdates, GoesOnUnderNewKeys) {
    Random random(10);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(SSL_key_update(other(), SSL_KEY_UPDATE_REQUESTED), 1);
        receive(random);
        send(random);
    }
}

TEST_P(TlsLibrarySuites, ADamagedRecordEndsTheConnection) {
    // A record on its way is caught, changed in one bit and sent on.
    ASSERT_EQ(SSL_write(other(), octets_.data(), 5'000), 5'000);
    Bytes raw(6'000);
    const int fd = farlink().socket().native_handle();
    ASSERT_TRUE(StreamPair::wait(farlink(), StreamPair::kLimitMs, StreamStatus::kWaitReadable));
    const ssize_t size = ::recv(fd, raw.data(), raw.size(), 0);
    ASSERT_GT(size, 5'000);
    raw[4'000] ^= 1;
    ASSERT_EQ(::send(other_fd(), raw.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL), size);
    const StreamResult read = StreamPair::read_once(farlink());
    EXPECT_EQ(read.status, StreamStatus::kFailed);
    EXPECT_EQ(read.bytes, 0U);
    // OpenSSL's own cipher words it in two ways.
    EXPECT_NE(farlink().reason(), "");
}

std::string suite_name(const testing::TestParamInfo<Suite> &info) {
    std::string name = info.param.name;
    std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
    return name + (info.param.passive ? "Passive" : "Active");
}

constexpr std::array kSuites13{Suite{TLS1_3_VERSION, true, "TLS_AES_128_GCM_SHA256"},
                               Suite{TLS1_3_VERSION, false, "TLS_AES_128_GCM_SHA256"},
                               Suite{TLS1_3_VERSION, true, "TLS_AES_256_GCM_SHA384"},
                               Suite{TLS1_3_VERSION, false, "TLS_AES_256_GCM_SHA384"},
                               Suite{TLS1_3_VERSION, true, "TLS_CHACHA20_POLY1305_SHA256"}};
constexpr std::array kSuites12{Suite{TLS1_2_VERSION, true, "ECDHE-ECDSA-AES128-GCM-SHA256"},
                               Suite{TLS1_2_VERSION, false, "ECDHE-ECDSA-AES128-GCM-SHA256"},
                               Suite{TLS1_2_VERSION, true, "ECDHE-ECDSA-AES256-GCM-SHA384"},
                               Suite{TLS1_2_VERSION, false, "ECDHE-ECDSA-AES256-GCM-SHA384"}};

INSTANTIATE_TEST_SUITE_P(Tls13, TlsLibrarySuites, testing::ValuesIn(kSuites13), suite_name);
INSTANTIATE_TEST_SUITE_P(Tls12, TlsLibrarySuites, testing::ValuesIn(kSuites12), suite_name);
INSTANTIATE_TEST_SUITE_P(Tls13, TlsLibraryKeyUpdates, testing::ValuesIn(kSuites13), suite_name);

using Cipher = std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)>;

std::string provider_of(const char *cipher, OSSL_LIB_CTX *library, const char *properties) {
    const Cipher fetched(EVP_CIPHER_fetch(library, cipher, properties), &EVP_CIPHER_free);
    return fetched ? OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(fetched.get())) : "none";
}

TEST(TlsLibrary, OnlyAesGcmIsAnothers) {
    const TlsLibrary &library = TlsLibrary::instance();
    const bool fast = library.gcm() == "intel-ipsec-mb";
    EXPECT_EQ(library.native() != nullptr, fast) << library.gcm();
    for (const char *const name : {"AES-128-GCM", "AES-256-GCM"}) {
        EXPECT_EQ(provider_of(name, library.native(), library.properties()),
                  fast ? "farlink" : "default");
        EXPECT_EQ(provider_of(name, nullptr, nullptr), "default");
    }
    EXPECT_EQ(provider_of("ChaCha20-Poly1305", library.native(), library.properties()), "default");
    EXPECT_EQ(provider_of("AES-128-CBC", library.native(), library.properties()), "default");
}

}  // namespace
}  // namespace farlink::cla::tls_library_test

#endif  // FARLINK_TLS
