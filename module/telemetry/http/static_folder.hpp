// SPDX-License-Identifier: Apache-2.0
// Serves the files of the dashboard from one folder.
// Owned by the server; its thread only.
// Only plain names are accepted, so that a path cannot leave the folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "module/telemetry/api/request/call.hpp"

namespace farlink::telemetry {

class StaticFolder {
public:
    explicit StaticFolder(std::string folder) : folder_(std::move(folder)) {}

    /// False: `/` is answered with 404.
    [[nodiscard]] bool has_page() const;
    /// The file, or 404; its compressed copy when the caller accepts it.
    [[nodiscard]] Answer serve(const std::vector<std::string> &path, const Call &call) const;

    /// A name such as "a-B.1_c": not a folder, not hidden.
    [[nodiscard]] static bool is_plain_name(std::string_view name);

private:
    std::string folder_;
};

}  // namespace farlink::telemetry
