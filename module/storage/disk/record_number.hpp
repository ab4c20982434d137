// SPDX-License-Identifier: Apache-2.0
// The parts of a record's number, and its name for people.
// Plain functions.
// Any thread.
#pragma once

#include <string>

#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

[[nodiscard]] inline FileNumber file_of(RecordNumber number) {
    return static_cast<FileNumber>(number >> 32);
}
/// Counted from 1.
[[nodiscard]] inline std::uint32_t place_of(RecordNumber number) {
    return static_cast<std::uint32_t>(number);
}
[[nodiscard]] inline RecordNumber make_record_number(FileNumber file, std::uint32_t place) {
    return (std::uint64_t{file} << 32) | place;
}
/// The number of the file and the place in it, for people: "3:17".
[[nodiscard]] inline std::string name_of(RecordNumber record) {
    return std::to_string(file_of(record)) + ':' + std::to_string(place_of(record));
}

}  // namespace farlink::storage
