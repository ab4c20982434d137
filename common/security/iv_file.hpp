// SPDX-License-Identifier: Apache-2.0
// The file of a key's counter of initialization vectors: a number below which all are used up.
// Owned by one process, which holds a lock on the file; one thread.
// A range is on disk before it is given, so a restart continues behind it. A lost file begins again
// with another random part of the vector; an older copy of it must never be put back.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/bp/bpsec/iv_counter.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::security {

/// What a counter is for. Two keys are the same if their octets are, whatever their names.
struct IvPurpose {
    std::uint64_t node = 0;
    std::uint8_t instance = 0;
    ByteView key;
};

class IvFile final : public bp::bpsec::ReservedRanges {
public:
    /// Opens or makes the file in `folder`; an error is a sentence.
    [[nodiscard]] static Result<std::unique_ptr<IvFile>, std::string> open(
        const std::string &folder, const IvPurpose &purpose);

    /// For open().
    IvFile(FileDescriptor file, FileDescriptor folder)
        : file_(std::move(file)), folder_(std::move(folder)) {}

    [[nodiscard]] std::optional<std::uint64_t> reserve(std::uint64_t count) override;
    [[nodiscard]] bp::bpsec::IvField field() const override { return field_; }

private:
    [[nodiscard]] std::string load(const IvPurpose &purpose);
    [[nodiscard]] bool write(std::uint64_t used);

    FileDescriptor file_;
    FileDescriptor folder_;
    bp::bpsec::IvField field_;
    std::uint64_t used_ = 0;
    bool broken_ = false;
};

}  // namespace farlink::security
