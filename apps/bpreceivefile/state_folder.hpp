// SPDX-License-Identifier: Apache-2.0
// The folder of what is not complete, beneath the target: on the same file system, so that a file
// gets its name by a rename.
// Plain functions; one thread.
// It is locked for as long as it is open: one receiver writes there.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/files/target_folder.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceivefile {

/// Made where there is none. The error is a text for people.
[[nodiscard]] Result<FileDescriptor, std::string> open_state_folder(
    const files::TargetFolder &target);

}  // namespace farlink::bpreceivefile
