// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_context.hpp"

#include <gtest/gtest.h>

#if FARLINK_TLS

#include "tests/support/stream_pair.hpp"
#include "tests/support/tls_files.hpp"

namespace farlink::cla::tls_context_test {
namespace {

using test::StreamPair;
using test::TlsFiles;

class TlsContextTest : public testing::Test {
protected:
    void SetUp() override { config_ = files_.issue_config("node", TlsFiles::node("ipn:1.0")); }
    [[nodiscard]] std::string error(SessionRole role = SessionRole::kPassive) const {
        const auto made = TlsContext::make(config_, role);
        return made ? "" : made.error();
    }
    [[nodiscard]] std::string path(const char *name) const { return files_.path(name); }

    TlsFiles files_;
    config::TlsConfig config_;
};

TEST_F(TlsContextTest, TakesGoodFiles) {
    EXPECT_EQ(error(SessionRole::kPassive), "");
    EXPECT_EQ(error(SessionRole::kActive), "");
}

TEST_F(TlsContextTest, WeaknessIsSpelledOut) {
    config_.ca_file.clear();
    EXPECT_EQ(error(),
              "TLS: no `ca`: the peer's certificate cannot be checked; set `ca`, or disable the "
              "check by `tlsInsecure`");
    config_.insecure = true;
    EXPECT_EQ(error(), "");
    config_.ca_file = path("ca.pem");
    EXPECT_EQ(error(),
              "TLS: found tlsInsecure and ca; expected only one of the two: the peer's certificate "
              "is either checked against " +
                  path("ca.pem") + " or it is not");
}

TEST_F(TlsContextTest, ListeningTakesACertificate) {
    config_.certificate_file.clear();
    EXPECT_EQ(error(), "TLS: found key (" + path("node.key") + ") without cert; expected both");
    config_.key_file.clear();
    EXPECT_EQ(error(), "TLS: no `cert` and `key`: the listening side must have a certificate");
    EXPECT_EQ(error(SessionRole::kActive), "");
    config_.certificate_file = path("node.pem");
    EXPECT_EQ(error(), "TLS: found cert (" + path("node.pem") + ") without key; expected both");
}

TEST_F(TlsContextTest, NamesTheFileThatIsNotThere) {
    config_.ca_file = path("no.pem");
    EXPECT_EQ(error(), "TLS: " + path("no.pem") + ": No such file or directory");
    config_ = files_.config("node");
    config_.certificate_file = path("no.pem");
    EXPECT_EQ(error(), "TLS: " + path("no.pem") + ": No such file or directory");
    config_ = files_.config("node");
    config_.key_file = path("no.key");
    EXPECT_EQ(error(), "TLS: " + path("no.key") + ": No such file or directory");
    config_.key_file = path("");
    EXPECT_EQ(error(), "TLS: " + path("") + ": not a regular file");
}

TEST_F(TlsContextTest, NamesTheFileThatHoldsSomethingElse) {
    files_.write("text", "nothing of the kind\n");
    config_.ca_file = path("text");
    EXPECT_EQ(error(), "TLS: " + path("text") + ": contains no certificate in PEM form");
    config_ = files_.config("node");
    config_.certificate_file = path("text");
    EXPECT_EQ(error(), "TLS: " + path("text") + ": contains no certificate in PEM form");
    config_ = files_.config("node");
    config_.key_file = path("text");
    EXPECT_EQ(error(), "TLS: " + path("text") + ": contains no private key in PEM form");
}

TEST_F(TlsContextTest, TheKeyBelongsToTheCertificate) {
    files_.issue("other", TlsFiles::node("ipn:1.0"));
    config_.key_file = path("other.key");
    EXPECT_EQ(error(), "TLS: " + path("other.key") + ": is not the key of " + path("node.pem"));
}

TEST_F(TlsContextTest, AsksForNoPassword) {
    files_.write("locked.key",
                 "-----BEGIN EC PRIVATE KEY-----\n"
                 "Proc-Type: 4,ENCRYPTED\n"
                 "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
                 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
                 "-----END EC PRIVATE KEY-----\n");
    config_.key_file = path("locked.key");
    EXPECT_EQ(error(), "TLS: " + path("locked.key") +
                           ": is protected by a password, which farlink does not support");
}

class TlsRefreshTest : public TlsContextTest {
protected:
    void SetUp() override {
        TlsContextTest::SetUp();
        client_config_ = files_.issue_config("client", TlsFiles::node("ipn:9.0"));
    }
    TlsContext make() { return std::move(*TlsContext::make(config_, SessionRole::kPassive)); }
    /// The name that a client finds in the certificate of `context`.
    std::string node_behind(const TlsContext &context) {
        const auto client = TlsContext::make(client_config_, SessionRole::kActive);
        StreamPair pair;
        pair.start_tls(*client, context);
        const auto statuses = pair.shake_hands();
        if (statuses.first != StreamStatus::kOk) return pair.active().reason();
        return pair.active().peer_names()->node_ids.front();
    }
    config::TlsConfig client_config_;
    TimePoint now_{seconds(100)};
};

TEST_F(TlsRefreshTest, FilesThatStayAreNotReadAgain) {
    TlsContext context = make();
    const auto *const before = context.native();
    for (int i = 0; i < 3; ++i) {
        const TlsRefresh refresh = context.refresh(now_ += seconds(1));
        EXPECT_FALSE(refresh.reloaded);
        EXPECT_EQ(refresh.failure, "");
    }
    EXPECT_EQ(context.native(), before);
}

TEST_F(TlsRefreshTest, NewFilesAreUsedByNewSessions) {
    TlsContext context = make();
    EXPECT_EQ(node_behind(context), "ipn:1.0");
    files_.issue("node", TlsFiles::node("ipn:2.0"));
    EXPECT_TRUE(context.refresh(now_).reloaded);
    EXPECT_EQ(node_behind(context), "ipn:2.0");
}

TEST_F(TlsRefreshTest, SessionsKeepWhatTheyBeganWith) {
    TlsContext context = make();
    const auto client = TlsContext::make(client_config_, SessionRole::kActive);
    StreamPair pair;
    pair.start_tls(*client, context);
    files_.issue("node", TlsFiles::node("ipn:2.0"));
    EXPECT_TRUE(context.refresh(now_).reloaded);
    ASSERT_EQ(pair.shake_hands().first, StreamStatus::kOk);
    EXPECT_EQ(pair.active().peer_names()->node_ids.front(), "ipn:1.0");
}

TEST_F(TlsRefreshTest, LooksOnceASecond) {
    TlsContext context = make();
    EXPECT_FALSE(context.refresh(now_).reloaded);
    files_.issue("node", TlsFiles::node("ipn:2.0"));
    EXPECT_FALSE(context.refresh(now_ + milliseconds(999)).reloaded);
    EXPECT_TRUE(context.refresh(now_ + seconds(1)).reloaded);
}

TEST_F(TlsRefreshTest, BadNewFilesAreToldOnceAndNotUsed) {
    TlsContext context = make();
    files_.issue("other", TlsFiles::node("ipn:2.0"));
    std::filesystem::rename(path("other.pem"), path("node.pem"));
    EXPECT_EQ(context.refresh(now_).failure,
              "TLS: " + path("node.key") + ": is not the key of " + path("node.pem"));
    EXPECT_EQ(context.refresh(now_ += seconds(1)).failure, "");
    EXPECT_EQ(node_behind(context), "ipn:1.0");
    // The second half of the renewal makes it good.
    std::filesystem::rename(path("other.key"), path("node.key"));
    EXPECT_TRUE(context.refresh(now_ += seconds(1)).reloaded);
    EXPECT_EQ(node_behind(context), "ipn:2.0");
    std::filesystem::remove(path("node.key"));
    EXPECT_EQ(context.refresh(now_ += seconds(1)).failure,
              "TLS: " + path("node.key") + ": No such file or directory");
    EXPECT_EQ(node_behind(context), "ipn:2.0");
}

TEST_F(TlsRefreshTest, AuthoritiesAreRenewedToo) {
    TlsContext context = make();
    TlsFiles others;
    std::filesystem::copy_file(others.path("ca.pem"), path("ca.pem"),
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(context.refresh(now_).reloaded);
    const auto client = TlsContext::make(client_config_, SessionRole::kActive);
    StreamPair pair;
    pair.start_tls(*client, context);
    EXPECT_EQ(pair.shake_hands().second, StreamStatus::kFailed);
}

class TlsRevocationTest : public TlsRefreshTest {
protected:
    void SetUp() override {
        TlsRefreshTest::SetUp();
        revoke({}, TlsFiles::valid_days(1));
        config_.crl_file = path("crl.pem");
    }
    /// Adds the certificates in `files` to crl.pem.
    void revoke(const std::vector<std::string> &files, certificates::Validity validity) {
        std::vector<certificates::Certificate> revoked;
        for (const std::string &file : files)
            revoked.push_back(
                std::move(certificates::read_certificates(files_.path(file))->front()));
        list_ = *files_.authority().revoke(list_, revoked, validity);
        files_.write("crl.pem", list_);
    }
    StreamStatus shake_hands(const TlsContext &context) {
        const auto client = TlsContext::make(client_config_, SessionRole::kActive);
        StreamPair pair;
        pair.start_tls(*client, context);
        const StreamStatus status = pair.shake_hands().second;
        if (status == StreamStatus::kFailed) reason_ = pair.passive().reason();
        return status;
    }
    std::string list_;
    std::string reason_;
};

TEST_F(TlsRevocationTest, ARevokedPeerIsRefusedFromTheNextSessionOn) {
    TlsContext context = make();
    EXPECT_EQ(shake_hands(context), StreamStatus::kOk);
    revoke({"client.pem"}, TlsFiles::valid_days(1));
    EXPECT_TRUE(context.refresh(now_).reloaded);
    EXPECT_EQ(shake_hands(context), StreamStatus::kFailed);
    EXPECT_EQ(reason_, "the peer's certificate is refused: certificate revoked");
}

TEST_F(TlsRevocationTest, AListKeepsItsEntries) {
    revoke({"client.pem"}, TlsFiles::valid_days(1));
    files_.issue("other", TlsFiles::node("ipn:8.0"));
    revoke({"other.pem", "other.pem"}, TlsFiles::valid_days(1));
    const TlsContext context = make();
    EXPECT_EQ(shake_hands(context), StreamStatus::kFailed);
    client_config_ = files_.config("other");
    EXPECT_EQ(shake_hands(context), StreamStatus::kFailed);
    client_config_ = files_.issue_config("third", TlsFiles::node("ipn:7.0"));
    EXPECT_EQ(shake_hands(context), StreamStatus::kOk);
}

TEST_F(TlsRevocationTest, AnOldListAndNoListOfTheIssuerRefuse) {
    revoke({}, TlsFiles::valid_days(-1));
    EXPECT_EQ(shake_hands(make()), StreamStatus::kFailed);
    EXPECT_EQ(reason_, "the peer's certificate is refused: CRL has expired");
    const TlsFiles others;
    files_.write("crl.pem", *others.authority().revoke({}, {}, TlsFiles::valid_days(1)));
    EXPECT_EQ(shake_hands(make()), StreamStatus::kFailed);
}

TEST_F(TlsRevocationTest, NamesTheFileThatIsNoList) {
    files_.write("crl.pem", "nothing of the kind\n");
    EXPECT_EQ(error(), "TLS: " + path("crl.pem") + ": contains no revocation list in PEM form");
    config_.crl_file = path("no.pem");
    EXPECT_EQ(error(), "TLS: " + path("no.pem") + ": No such file or directory");
}

TEST_F(TlsRevocationTest, AnAuthorityRevokesItsOwnCertificatesOnly) {
    const TlsFiles others;
    others.issue("node", TlsFiles::node("ipn:1.0"));
    std::vector<certificates::Certificate> foreign =
        std::move(*certificates::read_certificates(others.path("node.pem")));
    EXPECT_FALSE(files_.authority().revoke({}, foreign, TlsFiles::valid_days(1)));
    EXPECT_FALSE(files_.authority().revoke("no list", {}, TlsFiles::valid_days(1)));
}

}  // namespace
}  // namespace farlink::cla::tls_context_test

#else

namespace farlink::cla::tls_context_test {
namespace {

TEST(TlsContext, SaysThatThereIsNone) {
    config::TlsConfig config;
    config.mode = config::TlsMode::kRequired;
    const auto made = TlsContext::make(config, SessionRole::kActive);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), "TLS: this build has no TLS");
}

}  // namespace
}  // namespace farlink::cla::tls_context_test

#endif  // FARLINK_TLS
