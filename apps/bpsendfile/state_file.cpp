// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "apps/shared/messages/octet_writer.hpp"
#include "common/files/record_log.hpp"

namespace farlink::bpsendfile {
namespace {

constexpr int kOpenState = O_RDWR | O_CREAT | O_CLOEXEC;
constexpr mode_t kStateMode = 0600;
constexpr std::size_t kStateBytes = 1024 * 1024;

std::string failed(const std::string &path) {
    return path + ": " + messages::reason_of(errno);
}

/// False: errno has the reason.
bool read_all(int file, Bytes &content) {
    for (;;) {
        const std::size_t before = content.size();
        content.resize(before + kStateBytes);
        const ssize_t size = ::read(file, content.data() + before, kStateBytes);
        content.resize(before + static_cast<std::size_t>(size < 0 ? 0 : size));
        if (size <= 0) return size == 0;
    }
}

bool write_all(int file, ByteView octets) {
    while (!octets.empty()) {
        const ssize_t written = ::write(file, octets.data(), octets.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

std::string load(ByteView content, files::SentBook &book) {
    files::RecordReader reader(content);
    std::size_t records = 0;
    for (; const auto record = reader.next(); ++records)
        if (std::string wrong = book.load(*record); !wrong.empty()) return wrong;
    // A file of another kind is not written over.
    return records == 0 && !content.empty() ? "is not a state file of bpsendfile" : "";
}

}  // namespace

Result<StateFile, std::string> StateFile::open(const std::string &path, files::SentBook &book) {
    StateFile state;
    state.path_ = path;
    state.locked_ = FileDescriptor(::open(path.c_str(), kOpenState, kStateMode));
    if (!state.locked_) return fail(failed(path));
    if (::flock(state.locked_.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(path + ": in use by another bpsendfile");
    Bytes content;
    if (!read_all(state.locked_.get(), content)) return fail(failed(path));
    if (const std::string wrong = load(content, book); !wrong.empty())
        return fail(path + ' ' + wrong);
    const std::string next = path + ".new";
    state.file_ = FileDescriptor(::open(next.c_str(), kOpenState | O_TRUNC, kStateMode));
    if (!state.file_ || !write_all(state.file_.get(), book.all_records()) ||
        ::flock(state.file_.get(), LOCK_EX | LOCK_NB) != 0 || ::fsync(state.file_.get()) != 0 ||
        ::rename(next.c_str(), path.c_str()) != 0)
        return fail(failed(next));
    return state;
}

std::string StateFile::append(ByteView records) {
    if (!file_ || write_all(file_.get(), records)) return {};
    return failed(path_);
}

}  // namespace farlink::bpsendfile
