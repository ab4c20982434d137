// SPDX-License-Identifier: Apache-2.0
// farlinkctl as a program: its files, its errors, and the verdict of OpenSSL's own tool.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/runtime/entropy.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"

namespace farlink::test::farlinkctl_test {
namespace {

namespace fs = std::filesystem;

class Farlinkctl : public testing::Test {
protected:
    void SetUp() override {
#if !FARLINK_TLS
        GTEST_SKIP() << "a build without TLS makes no certificates";
#endif
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string program() { return std::string(FARLINK_BIN_DIR) + "/farlinkctl"; }
    /// Runs it; returns the exit code; its output is in out_ and err_.
    int run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), program());
        return finish(ChildProcess(std::move(arguments)));
    }
    int finish(ChildProcess &&child) {
        const int code = child.wait();
        out_ = child.unread(ChildProcess::kOut);
        err_ = child.unread(ChildProcess::kErr);
        return code;
    }
    int make(std::vector<std::string> more) {
        more.insert(more.begin(), {"cert", "make", "--dir", folder_});
        return run(std::move(more));
    }
    [[nodiscard]] std::string path(const std::string &name) const { return folder_ / name; }
    [[nodiscard]] std::string text_of(const std::string &name) const {
        std::ostringstream text;
        text << std::ifstream(path(name)).rdbuf();
        return text.str();
    }
    [[nodiscard]] int mode_of(const std::string &name) const {
        struct stat status{};
        EXPECT_EQ(::stat(path(name).c_str(), &status), 0) << name;
        return static_cast<int>(status.st_mode & 0777);
    }

    fs::path folder_ = fs::temp_directory_path() / ("farlinkctl-" + std::to_string(entropy_seed()));
    std::string out_;
    std::string err_;
};

TEST_F(Farlinkctl, MakesAnAuthorityAndNodes) {
    ASSERT_EQ(make({"--node", "ipn:10.0", "--node", "ipn:977000.100.0", "--node", "dtn://gate/"}),
              0)
        << err_;
    for (const std::string stem : {"ca", "ipn-10", "ipn-977000.100", "dtn-gate"}) {
        EXPECT_EQ(mode_of(stem + ".key"), 0600) << stem;
        EXPECT_EQ(mode_of(stem + ".pem") & 0400, 0400) << stem;
        EXPECT_NE(out_.find(path(stem + ".pem")), std::string::npos) << out_;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 8);
}

TEST_F(Farlinkctl, OpensslVerifiesItsCertificates) {
    if (!fs::exists("/usr/bin/openssl")) GTEST_SKIP() << "no openssl program";
    ASSERT_EQ(make({"--node", "ipn:10.0", "--dns", "gate.example", "--ip", "192.0.2.1"}), 0);
    EXPECT_EQ(finish(ChildProcess({"/usr/bin/openssl", "verify", "-x509_strict", "-CAfile",
                                   path("ca.pem"), path("ipn-10.pem")})),
              0)
        << err_;
    EXPECT_EQ(finish(ChildProcess(
                  {"/usr/bin/openssl", "x509", "-noout", "-text", "-in", path("ipn-10.pem")})),
              0);
    for (const char *const expected :
         {"othername: 1.3.6.1.5.5.7.8.11::ipn:10.0", "DNS:gate.example", "IP Address:192.0.2.1",
          "1.3.6.1.5.5.7.3.35", "Digital Signature", "prime256v1", "CA:FALSE"})
        EXPECT_NE(out_.find(expected), std::string::npos) << expected << " in " << out_;
}

TEST_F(Farlinkctl, DoesNotReplaceItsAuthority) {
    ASSERT_EQ(make({"--node", "ipn:10.0"}), 0);
    const std::string authority = text_of("ca.pem");
    ASSERT_EQ(make({"--node", "ipn:11.0", "--force"}), 0) << err_;
    EXPECT_EQ(text_of("ca.pem"), authority);
}

TEST_F(Farlinkctl, OverwritesByForceOnly) {
    ASSERT_EQ(make({"--node", "ipn:10.0"}), 0);
    const std::string before = text_of("ipn-10.pem");
    EXPECT_EQ(make({"--node", "ipn:11.0", "--node", "ipn:10.0"}), 1);
    EXPECT_EQ(err_,
              "farlinkctl: " + path("ipn-10.pem") + ": already exists; --force replaces it\n");
    EXPECT_FALSE(fs::exists(path("ipn-11.pem"))) << "all or nothing";
    EXPECT_EQ(text_of("ipn-10.pem"), before);
    EXPECT_EQ(make({"--node", "ipn:10.0", "--force"}), 0);
    EXPECT_NE(text_of("ipn-10.pem"), before);
    EXPECT_EQ(mode_of("ipn-10.key"), 0600);
}

TEST_F(Farlinkctl, NamesOneNodeOnce) {
    ASSERT_EQ(make({"--node", "ipn:10", "--node", "ipn:0.10.0", "--node", "ipn:10.0"}), 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 4);
}

TEST_F(Farlinkctl, RevokesCertificates) {
    ASSERT_EQ(make({"--node", "ipn:10.0", "--node", "ipn:11.0"}), 0);
    ASSERT_EQ(run({"cert", "revoke", "--dir", folder_, path("ipn-10.pem")}), 0) << err_;
    EXPECT_EQ(out_, path("crl.pem") + "\n");
    ASSERT_EQ(run({"cert", "revoke", "--dir", folder_, "--days", "2"}), 0) << err_;
    EXPECT_EQ(run({"cert", "revoke", "--dir", folder_, path("no.pem")}), 1);
    if (!fs::exists("/usr/bin/openssl")) GTEST_SKIP() << "no openssl program";
    const auto verify = [this](const std::string &file) {
        return finish(ChildProcess({"/usr/bin/openssl", "verify", "-crl_check", "-CAfile",
                                    path("ca.pem"), "-CRLfile", path("crl.pem"), path(file)}));
    };
    EXPECT_NE(verify("ipn-10.pem"), 0);
    EXPECT_EQ(verify("ipn-11.pem"), 0) << err_;
}
TEST_F(Farlinkctl, ShowsTheFieldsOfCertificates) {
    ASSERT_EQ(make({"--node", "ipn:10", "--dns", "gate.example", "--ip", "::1", "--days", "3"}), 0);
    ASSERT_EQ(run({"cert", "show", path("ipn-10.pem"), path("ca.pem")}), 0) << err_;
    for (const char *const expected :
         {"node id    ipn:10.0\n", "dns        gate.example\n", "ip         ::1\n",
          "issuer     CN = farlink test authority\n", "use        authority\n"})
        EXPECT_NE(out_.find(expected), std::string::npos) << expected << " in " << out_;
}

TEST_F(Farlinkctl, RefusesInvalidNames) {
    for (const std::vector<std::string> &bad : {std::vector<std::string>{},
                                                {"--node", "ipn:10.7"},
                                                {"--node", "dtn:none"},
                                                {"--node", "gate"},
                                                {"--node", "ipn:10.0", "--dns", "a b"},
                                                {"--node", "ipn:10.0", "--dns", "192.0.2.1"},
                                                {"--node", "ipn:10.0", "--ip", "gate"},
                                                {"--node", "ipn:10.0", "--days", "0"}}) {
        EXPECT_EQ(make(bad), 2) << out_;
        EXPECT_FALSE(err_.empty());
        EXPECT_FALSE(fs::exists(folder_));
    }
    EXPECT_EQ(run({"cert"}), 2);
    EXPECT_EQ(run({}), 2);
    EXPECT_EQ(run({"--help"}), 0);
}

TEST(FarlinkctlHelp, OfDrainNamesNeighboursAndApplications) {
    ChildProcess help({std::string(FARLINK_BIN_DIR) + "/farlinkctl", "drain", "--help"});
    EXPECT_EQ(help.wait(), 0);
    std::istringstream words(help.unread(ChildProcess::kOut));
    std::string text;
    for (std::string word; words >> word;) text += word + ' ';
    EXPECT_NE(text.find("no new bundles from neighbours and applications;"), std::string::npos)
        << text;
}

TEST_F(Farlinkctl, NamesTheWrongFile) {
    EXPECT_EQ(run({"cert", "show", path("no.pem")}), 1);
    EXPECT_EQ(err_, "farlinkctl: " + path("no.pem") + ": No such file or directory\n");
    ASSERT_EQ(make({"--node", "ipn:10.0"}), 0);
    EXPECT_EQ(run({"cert", "show", path("ipn-10.key")}), 1);
    EXPECT_EQ(err_,
              "farlinkctl: " + path("ipn-10.key") + ": contains no certificate in PEM form\n");
    fs::copy_file(path("ipn-10.key"), path("ca.key"), fs::copy_options::overwrite_existing);
    EXPECT_EQ(make({"--node", "ipn:11.0"}), 1);
    EXPECT_EQ(err_,
              "farlinkctl: " + path("ca.key") + ": is not the key of " + path("ca.pem") + "\n");
    fs::remove(path("ca.key"));
    EXPECT_EQ(make({"--node", "ipn:11.0"}), 1);
    EXPECT_EQ(err_, "farlinkctl: " + path("ca.key") + ": No such file or directory\n");
}

TEST_F(Farlinkctl, ANodeDoesNotStartWithTheCertificateOfAnother) {
    ASSERT_EQ(make({"--node", "ipn:10.0", "--node", "ipn:11.0"}), 0);
    const auto check = [this](const std::string &certificate) {
        std::ofstream(path("node.json"))
            << R"({"myNodeId": 10, "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0",
                   "tls": "required", "ca": "ca.pem", "cert": ")"
            << certificate << R"(.pem", "key": ")" << certificate << R"(.key"}]})";
        return finish(ChildProcess(
            {std::string(FARLINK_BIN_DIR) + "/farlink", "--check", "--config", path("node.json")}));
    };
    EXPECT_EQ(check("ipn-10"), 0) << err_;
    EXPECT_EQ(check("ipn-11"), 2);
    EXPECT_NE(err_.find("inductsConfig[0]: TLS: " + path("ipn-11.pem") +
                        ": the certificate is for ipn:11.0, but this node announces itself as "
                        "ipn:10.0"),
              std::string::npos)
        << err_;
}

TEST_F(Farlinkctl, TheCheckAndTheStartWarnOfACertificateThatEndsSoon) {
    ASSERT_EQ(make({"--node", "ipn:10.0", "--days", "10"}), 0);
    const auto node = [this](int limit, bool check) {
        std::ofstream(path("node.json"))
            << R"({"myNodeId": 10, "storageConfig": {"storeFilePath": "store"},
                   "alarms": {"certificateEndsWithinDays": )"
            << limit << R"(}, "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0",
                   "tls": "required", "ca": "ca.pem", "cert": "ipn-10.pem",
                   "key": "ipn-10.key"}]})";
        std::vector<std::string> words{std::string(FARLINK_BIN_DIR) + "/farlink", "--config",
                                       path("node.json")};
        if (check) words.emplace_back("--check");
        return ChildProcess(words);
    };
    const std::string warning =
        "the certificate CN=ipn:10.0 of link 0 in " + path("ipn-10.pem") + " expires at ";
    EXPECT_EQ(finish(node(20, true)), 0) << err_;
    EXPECT_NE(out_.find("warning: " + warning), std::string::npos) << out_;
    EXPECT_EQ(finish(node(5, true)), 0) << err_;
    EXPECT_EQ(out_.find("warning: "), std::string::npos) << out_;
    ChildProcess started = node(20, false);
    std::string line;
    do line = started.line(ChildProcess::kErr);
    while (!line.empty() && line.find(warning) == std::string::npos);
    EXPECT_NE(line.find(warning), std::string::npos) << "before the alarm";
    do line = started.line(ChildProcess::kErr);  // then it handles signals
    while (!line.empty() && line.find("ready: ") == std::string::npos);
    started.signal(SIGTERM);
    EXPECT_EQ(finish(std::move(started)), 0) << err_;
}

TEST_F(Farlinkctl, TheAuthorityOutlivesItsNodes) {
    ASSERT_EQ(make({"--node", "ipn:10.0"}), 0);
    EXPECT_EQ(make({"--node", "ipn:11.0", "--days", "9999"}), 1);
    EXPECT_EQ(err_,
              "farlinkctl: " + path("ca.pem") +
                  ": the certificate of the authority expires in less than 9999 days; use fewer "
                  "days, or make a new authority in another folder\n");
}

TEST_F(Farlinkctl, FailsWhenItsOutputCannotBeWritten) {
    const std::string ctl = std::string(FARLINK_BIN_DIR) + "/farlinkctl";
    EXPECT_EQ(finish(ChildProcess({"/bin/sh", "-c", ctl + " completion bash > /dev/full"})), 1);
    EXPECT_NE(err_.find("output is incomplete"), std::string::npos) << err_;
}

}  // namespace
}  // namespace farlink::test::farlinkctl_test
