// SPDX-License-Identifier: Apache-2.0
// Gives a file that is whole and on disk its name.
// Owned by FileWriter; one thread.
// Errors are errno values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/shared/files/digest.hpp"
#include "common/base/result.hpp"
#include "common/files/target_folder.hpp"

namespace farlink::bpreceivefile {

/// What becomes of a file whose name another one has.
enum class Existing : std::uint8_t { kKeep, kReplace, kRename };

/// A file that has no name yet beneath the target.
struct WholeFile {
    std::string temporary{};  ///< its name in the folder of what is not complete
    std::string name{};
    std::uint64_t size = 0;
    files::Digest digest{};
    std::string transfer{};  ///< of pieces: its key; empty: it came as a whole
};

enum class Fate : std::uint8_t { kWritten, kReplaced, kRenamed, kKeptOther, kSame };

struct Placed {
    Fate fate = Fate::kWritten;
    std::string name{};  ///< where its octets are
};

class Placement {
public:
    Placement(files::TargetFolder &target, int temporary_folder, Existing existing)
        : target_(target), temporary_folder_(temporary_folder), existing_(existing) {}

    [[nodiscard]] Result<Placed, int> place(const WholeFile &file);
    /// It is removed without a name.
    void drop(const WholeFile &file) const;

private:
    /// 0, or EEXIST where the name is taken.
    [[nodiscard]] int rename_to(const WholeFile &file, std::string_view name, bool may_replace);
    [[nodiscard]] bool is_same(const WholeFile &file, std::string_view name) const;
    [[nodiscard]] Result<Placed, int> place_beside(const WholeFile &file);

    files::TargetFolder &target_;
    int temporary_folder_;
    Existing existing_;
};

}  // namespace farlink::bpreceivefile
