// SPDX-License-Identifier: Apache-2.0
// The certificates, keys and tokens that a configuration names, and which of them have another
// content.
// Plain functions on values; any thread. The caller reads the files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/config/reload/differences.hpp"

namespace farlink::control {

/// The content of each file, by its absolute name.
using FileDigests = std::map<std::string, std::uint64_t>;

/// A file that a link or the API has.
struct NamedFile {
    std::string path;  ///< "outductsConfig[1].cert"
    std::string file;  ///< absolute
    std::string link;  ///< "outductsConfig[1]"; empty: of the API
    bool ltp = false;  ///< a key of LTP, which a link reads when it begins
};
[[nodiscard]] std::vector<NamedFile> named_files(const nlohmann::ordered_json &file,
                                                 const std::string &folder);

[[nodiscard]] FileDigests digests_of(const std::vector<NamedFile> &files,
                                     const std::function<std::uint64_t(const std::string &)> &read);

/// The files whose content differs; a file that is named for the first time is none of them.
[[nodiscard]] std::vector<NamedFile> changed_files(const std::vector<NamedFile> &files,
                                                   const FileDigests &before,
                                                   const FileDigests &after);

}  // namespace farlink::control
