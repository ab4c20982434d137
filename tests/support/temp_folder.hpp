// SPDX-License-Identifier: Apache-2.0
// A temporary folder of one test, deleted at its end; no other test uses it.
// Owned by the test.
// One thread.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace farlink::test {

class TempFolder {
public:
    explicit TempFolder(
        const std::filesystem::path &parent = std::filesystem::temp_directory_path()) {
        std::string name = (parent / "farlink_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("cannot make a temporary folder");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder &) = delete;
    TempFolder &operator=(const TempFolder &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }
    /// Path of an entry that need not exist.
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return (path_ / name).string();
    }
    void write(std::string_view name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
    }

private:
    std::filesystem::path path_;
};

}  // namespace farlink::test
