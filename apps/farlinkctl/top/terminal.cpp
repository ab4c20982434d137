// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace farlink::ctl {
namespace {

// ECMA-48 and xterm's private modes: the other page of the screen, and no cursor.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kRestOfLine = "\x1b[K";
constexpr std::string_view kRestOfScreen = "\x1b[J";

constexpr std::array<int, 6> kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};

sigset_t signal_set() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : kSignals) ::sigaddset(&set, signal);
    return set;
}

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

TopSize terminal_size() {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 ||
        window.ws_row == 0)
        return {};
    return {window.ws_col, window.ws_row};
}

Terminal::Terminal() {
    const sigset_t set = signal_set();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    termios found{};
    if (::tcgetattr(STDIN_FILENO, &found) == 0) before_ = found;
    enter();
}

Terminal::~Terminal() {
    leave();
    const sigset_t set = signal_set();
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

// Keys are read one by one and not echoed; those of signals still raise signals.
void Terminal::enter() {
    if (before_) {
        termios raw = *before_;
        raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO));
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    write_all(kEnter);
}

void Terminal::leave() {
    write_all(kLeave);
    if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

// Ctrl-Z: restores the terminal, stops, and continues here after SIGCONT.
void Terminal::stop() {
    leave();
    ::raise(SIGSTOP);
    enter();
}

Terminal::Event Terminal::wait(Duration patience) {
    const auto ms = std::chrono::ceil<milliseconds>(std::max(patience, Duration::zero())).count();
    std::array<pollfd, 2> waiting{
        {{signals_.get(), POLLIN, 0}, {keyboard_ ? STDIN_FILENO : -1, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(ms)) <= 0) return {};
    if (waiting[0].revents != 0) return read_signal();
    return read_key();
}

Terminal::Event Terminal::read_key() {
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) == 1) return {Event::Kind::kKey, key};
    keyboard_ = errno == EINTR;
    return {};
}

Terminal::Event Terminal::read_signal() {
    signalfd_siginfo signal{};
    if (::read(signals_.get(), &signal, sizeof signal) != sizeof signal) return {};
    if (signal.ssi_signo == SIGWINCH) return {Event::Kind::kResized};
    if (signal.ssi_signo != SIGTSTP) return {Event::Kind::kEnd};
    stop();
    return {Event::Kind::kResized};
}

void Terminal::draw(const std::vector<TopLine> &lines, bool colours) {
    std::string text(kHome);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) text += "\r\n";
        text += painted(lines[i], colours);
        text += kRestOfLine;
    }
    text += kRestOfScreen;
    write_all(text);
}

}  // namespace farlink::ctl
