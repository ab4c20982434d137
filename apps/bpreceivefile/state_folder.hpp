// SPDX-License-Identifier: Apache-2.0
// The folder of what is not complete, beneath the target: on the same file system, so that a file
// gets its name by a rename.
// Plain functions; one thread.
// It is locked for as long as it is open: one receiver writes there.
#pragma once

#include <string>
#include <vector>

#include "apps/bpreceivefile/target_folder.hpp"
#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpreceivefile {

/// Made where there is none. The error is a text for people.
[[nodiscard]] Result<FileDescriptor, std::string> open_state_folder(const TargetFolder &target);
/// Of what is in a folder.
[[nodiscard]] std::vector<std::string> names_in(int folder);

}  // namespace farlink::bpreceivefile
