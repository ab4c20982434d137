// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/import/ion_files.hpp"

#include <pwd.h>
#include <unistd.h>

#include <utility>

#include "common/config/fields/text_file.hpp"
#include "common/config_import/ion/import_ion.hpp"
#include "common/runtime/clock.hpp"

namespace farlink {
namespace {

/// The user's name, or number if there is no name.
std::string user_name() {
    const passwd *const found = ::getpwuid(::getuid());
    return found != nullptr ? found->pw_name : std::to_string(::getuid());
}

}  // namespace

config::Imported read_ion(const std::vector<std::string> &files,
                          std::optional<std::uint64_t> node) {
    config::Imported unread;
    std::vector<config::IonFile> texts;
    for (const std::string &name : files) {
        auto text = config::read_text_file(name);
        if (text)
            texts.push_back({name, std::move(*text)});
        else
            unread.report.add(
                {config::ImportOutcome::kRefused, name, 0, {}, text.error().to_string()});
    }
    if (unread.report.refused()) return unread;
    return config::import_ion(texts,
                              {.node = node, .now = read_wall_clock().dtn_ms, .user = user_name()});
}

}  // namespace farlink
