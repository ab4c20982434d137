// SPDX-License-Identifier: Apache-2.0
// The files of the dashboard, as they lie in one folder.
// Owned by the server; its thread only.
// Only names that such files have are looked for: a path cannot leave the folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "module/telemetry/api/call.hpp"

namespace farlink::telemetry {

class StaticFolder {
public:
    explicit StaticFolder(std::string folder) : folder_(std::move(folder)) {}

    /// The file, or 404; a copy that is compressed already where the caller takes it.
    [[nodiscard]] Answer serve(const std::vector<std::string> &path, const Call &call) const;

    /// "a-B.1_c": no folder, not hidden.
    [[nodiscard]] static bool is_plain_name(std::string_view name);

private:
    std::string folder_;
};

}  // namespace farlink::telemetry
