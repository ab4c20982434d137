// SPDX-License-Identifier: Apache-2.0
// `farlinkctl top` on a terminal: it draws, handles keys and signals, and restores the terminal.
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cstdlib>
#include <optional>

#include "tests/support/node_program.hpp"

namespace farlink::test::control_top_test {
namespace {

using Json = nlohmann::json;

/// The terminal of a program under test.
class OnTerminal {
public:
    OnTerminal(std::vector<std::string> words, unsigned short columns, unsigned short rows)
        : fd_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        EXPECT_EQ(::grantpt(fd_), 0);
        EXPECT_EQ(::unlockpt(fd_), 0);
        const std::string name = ::ptsname(fd_);
        other_ = ::open(name.c_str(), O_RDWR | O_NOCTTY);
        resize(columns, rows);
        std::vector<char *> raw;
        for (std::string &word : words) raw.push_back(word.data());
        raw.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::setsid();
            ::ioctl(other_, TIOCSCTTY, 0);
            for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(other_, stream);
            ::execv(raw[0], raw.data());
            ::_exit(127);
        }
    }
    OnTerminal(const OnTerminal &) = delete;
    OnTerminal &operator=(const OnTerminal &) = delete;
    ~OnTerminal() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        ::close(other_);
        ::close(fd_);
    }

    void resize(unsigned short columns, unsigned short rows) const {
        const winsize size{rows, columns, 0, 0};
        EXPECT_EQ(::ioctl(fd_, TIOCSWINSZ, &size), 0);
    }
    void type(char key) const { EXPECT_EQ(::write(fd_, &key, 1), 1); }
    void signal(int number) const { ::kill(pid_, number); }
    /// Reads the output until it contains the words, and discards it.
    [[nodiscard]] bool draws(const std::string &words) {
        for (std::size_t at; (at = drawn_.find(words)) == std::string::npos;) {
            pollfd waiting{fd_, POLLIN, 0};
            std::array<char, 4096> text{};
            if (::poll(&waiting, 1, 20'000) != 1) return false;
            const ssize_t size = ::read(fd_, text.data(), text.size());
            if (size <= 0) return false;
            drawn_.append(text.data(), static_cast<std::size_t>(size));
        }
        drawn_.erase(0, drawn_.find(words) + words.size());
        return true;
    }
    [[nodiscard]] bool shows_keys() const {
        termios now{};
        return ::tcgetattr(other_, &now) == 0 && (now.c_lflag & ECHO) != 0;
    }
    [[nodiscard]] int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    int fd_;
    int other_ = -1;
    pid_t pid_ = 0;
    std::string drawn_;
};

constexpr const char *kEnter = "\x1b[?1049h";
constexpr const char *kLeave = "\x1b[?1049l";

class ControlTop : public testing::Test {
protected:
    OnTerminal &top(unsigned short columns = 80, unsigned short rows = 24) {
        return terminal_.emplace(
            std::vector<std::string>{program("farlinkctl"), "top", "--interval", "0.1", "--socket",
                                     folder_ / "control"},
            columns, rows);
    }

    TempFolder folder_;
    NodeProgram node_{folder_, Json{{"myNodeId", 10},
                                    {"controlSocket", "control"},
                                    {"storageConfig", {{"storeFilePath", "store"}}},
                                    {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}}}};
    std::optional<OnTerminal> terminal_;
};

TEST_F(ControlTop, DrawsUntilAKeyEndsIt) {
    OnTerminal &terminal = top();
    ASSERT_TRUE(terminal.draws(kEnter));
    EXPECT_TRUE(terminal.draws("farlink node 10"));
    EXPECT_FALSE(terminal.shows_keys());
    EXPECT_TRUE(terminal.draws("s sort links: number"));
    terminal.type('s');
    EXPECT_TRUE(terminal.draws("s sort links: in"));
    terminal.type('q');
    EXPECT_TRUE(terminal.draws(kLeave));
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_TRUE(terminal.shows_keys());
}

TEST_F(ControlTop, FollowsTheSizeOfItsWindow) {
    OnTerminal &terminal = top(20, 24);
    ASSERT_TRUE(terminal.draws("farlink node 10  up~"));
    terminal.resize(200, 50);
    EXPECT_TRUE(terminal.draws("no contact plan"));
    terminal.type('q');
    EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(ControlTop, RestoresTheTerminalOnASignal) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        OnTerminal &terminal = top();
        ASSERT_TRUE(terminal.draws("q quit"));
        terminal.signal(number);
        EXPECT_TRUE(terminal.draws(kLeave));
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_TRUE(terminal.shows_keys());
    }
}

TEST_F(ControlTop, WaitsForANodeThatHasEnded) {
    OnTerminal &terminal = top();
    ASSERT_TRUE(terminal.draws("q quit"));
    node_.stop();
    EXPECT_TRUE(terminal.draws("no node is running"));
    terminal.type('q');
    EXPECT_TRUE(terminal.draws(kLeave));
    EXPECT_EQ(terminal.wait(), 0);
}

}  // namespace
}  // namespace farlink::test::control_top_test
