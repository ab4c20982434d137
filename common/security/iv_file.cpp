// SPDX-License-Identifier: Apache-2.0
#include "common/security/iv_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/base/hex.hpp"
#include "common/bp/bpsec/crypto/hmac.hpp"
#include "common/codec/crc.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/private_folder.hpp"

namespace farlink::security {
namespace {

/// "FLIV", node, instance and beginning, the number, CRC-32C of all before it.
constexpr std::size_t kRecordBytes = 24;
constexpr std::uint32_t kMagic = 0x464c4956;
constexpr std::size_t kNameBytes = 16;

std::string file_fault(const std::string &path) {
    return path + ": " + std::strerror(errno);
}

/// Neither the key nor anything that leads to it.
std::string name_of(ByteView key) {
    bp::bpsec::Hmac hmac(bp::bpsec::HashVariant::kSha256);
    std::array<std::uint8_t, bp::bpsec::kMostHashBytes> value{};
    if (!hmac.set_key(key)) return {};
    hmac.begin();
    hmac.add(as_bytes("farlink initialization vectors"));
    if (!hmac.finish(MutableBytes(value).first(32))) return {};
    return hex_text(ByteView(value).first(kNameBytes)) + ".iv";
}

}  // namespace

Result<std::unique_ptr<IvFile>, std::string> IvFile::open(const std::string &folder,
                                                          const IvPurpose &purpose) {
    if (const auto error = make_private_folder(folder))
        return fail(folder + ": " + error.message());
    const std::string name = name_of(purpose.key);
    if (name.empty()) return fail(std::string("the key is not usable"));
    const std::string path = folder + "/" + std::to_string(purpose.instance) + "-" + name;
    FileDescriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent) return fail(file_fault(folder));
    FileDescriptor file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file) return fail(file_fault(path));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(path + ": in use by another process");
    auto opened = std::make_unique<IvFile>(std::move(file), std::move(parent));
    if (const std::string wrong = opened->load(purpose); !wrong.empty())
        return fail(path + ": " + wrong);
    return opened;
}

std::string IvFile::load(const IvPurpose &purpose) {
    std::array<std::uint8_t, kRecordBytes> record{};
    const ssize_t size = ::pread(file_.get(), record.data(), record.size(), 0);
    if (size < 0) return std::strerror(errno);
    field_.node = bp::bpsec::iv_node(purpose.node);
    field_.instance = purpose.instance;
    if (size == 0) {
        std::array<std::uint8_t, 4> random{};
        fill_random(random);
        field_.beginning = load_be<std::uint32_t>(random.data()) & 0xffffff;
        return write(0) ? std::string() : std::strerror(errno);
    }
    // A record that is not whole was not used yet, or is broken: no number of it is safe.
    if (size != kRecordBytes || load_be<std::uint32_t>(record.data()) != kMagic ||
        load_be<std::uint32_t>(&record[20]) != codec::crc32c(ByteView(record).first(20)))
        return "not a counter of initialization vectors; remove the file to start a new counter";
    const auto second = load_be<std::uint32_t>(&record[8]);
    if (load_be<std::uint32_t>(&record[4]) != field_.node || second >> 24 != field_.instance)
        return "the counter belongs to another node; remove the file to start a new counter";
    field_.beginning = second & 0xffffff;
    used_ = load_be<std::uint64_t>(&record[12]);
    return {};
}

bool IvFile::write(std::uint64_t used) {
    std::array<std::uint8_t, kRecordBytes> record{};
    store_be(record.data(), kMagic);
    store_be(&record[4], field_.node);
    store_be(&record[8], static_cast<std::uint32_t>(field_.instance) << 24 | field_.beginning);
    store_be(&record[12], used);
    store_be(&record[20], codec::crc32c(ByteView(record).first(20)));
    // One sector: it is the old record or the new one.
    return ::pwrite(file_.get(), record.data(), record.size(), 0) ==
               static_cast<ssize_t>(record.size()) &&
           ::fsync(file_.get()) == 0 && ::fsync(folder_.get()) == 0;
}

std::optional<std::uint64_t> IvFile::reserve(std::uint64_t count) {
    if (broken_ || used_ > bp::bpsec::kMostEncryptions - count) return std::nullopt;
    // What a failed write has left on disk is not known.
    broken_ = !write(used_ + count);
    if (broken_) return std::nullopt;
    const std::uint64_t first = used_;
    used_ += count;
    return first;
}

}  // namespace farlink::security
