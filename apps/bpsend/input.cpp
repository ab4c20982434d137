// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpsend {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

std::string cannot_read(const std::string &name) {
    return "cannot read " + name + ": " + messages::reason_of(errno);
}

}  // namespace

Result<std::vector<Bytes>, std::string> Input::next() {
    batch_.clear();
    while (!full()) {
        if (descriptor_ < 0) {
            if (files_.empty()) break;
            if (std::string error = open_next(); !error.empty()) return fail(std::move(error));
        }
        const Wait waited = wait(batch_.empty());
        if (waited != Wait::kReadable) break;
        if (std::string error = read(); !error.empty()) return fail(std::move(error));
    }
    return std::exchange(batch_, {});
}

bool Input::full() const {
    std::size_t bytes = 0;
    for (const Bytes &message : batch_) bytes += message.size();
    return batch_.size() >= limits_.messages || bytes >= limits_.bytes;
}

std::string Input::open_next() {
    name_ = std::move(files_.front());
    files_.pop_front();
    if (name_ == "-") {
        name_ = "standard input";
        descriptor_ = STDIN_FILENO;
        return {};
    }
    owned_ = FileDescriptor(::open(name_.c_str(), O_RDONLY | O_CLOEXEC));
    descriptor_ = owned_.get();
    return owned_ ? std::string() : cannot_read(name_);
}

Input::Wait Input::wait(bool for_long) const {
    std::array<pollfd, 2> waiting{{{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    while (::poll(waiting.data(), waiting.size(), for_long ? -1 : 0) < 0)
        if (errno != EINTR) break;
    if (waiting[1].revents != 0) return Wait::kStopped;
    return waiting[0].revents != 0 ? Wait::kReadable : Wait::kNothing;
}

std::string Input::read() {
    space_.resize(kReadBytes);
    const ssize_t size = ::read(descriptor_, space_.data(), space_.size());
    if (size < 0) return errno == EINTR || errno == EAGAIN ? std::string() : cannot_read(name_);
    if (size > 0) {
        splitter_.feed(ByteView(space_).first(static_cast<std::size_t>(size)), batch_);
        return {};
    }
    splitter_.finish(batch_);
    close();
    return {};
}

void Input::close() {
    owned_ = {};
    descriptor_ = -1;
}

}  // namespace farlink::bpsend
