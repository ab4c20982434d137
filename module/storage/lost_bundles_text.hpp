// SPDX-License-Identifier: Apache-2.0
// Bundles that are lost, as a line of the log names them: by record, destination and size.
// Made for one log line; one thread.
// Only the first few are named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/counted.hpp"
#include "common/bp/eid/eid.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/state/label_content.hpp"
#include "module/storage/store/log/log_format.hpp"

namespace farlink::storage {

class LostBundlesText {
public:
    /// `bytes`: 0 when it is not known. `disk`: empty where the line names it.
    void add(RecordNumber number, std::uint64_t bytes, ByteView label, std::string_view disk = {}) {
        if (++named_ > kMost) return;
        const auto endpoint = decode_label(endpoint_in(label));
        if (!text_.empty()) text_ += ", ";
        if (!disk.empty()) text_ += std::string(disk) + ' ';
        text_ += "record " + name_of(number);
        if (endpoint) text_ += " for " + bp::to_string(*endpoint);
        if (bytes > 0) text_ += " (" + counted(bytes, "byte") + ")";
    }
    /// Of so many in all.
    [[nodiscard]] std::string words(std::uint64_t all) const {
        const std::uint64_t published = named_ < kMost ? named_ : kMost;
        return all > published ? text_ + " and " + std::to_string(all - published) + " more"
                               : text_;
    }

private:
    static constexpr std::uint64_t kMost = 20;
    std::uint64_t named_ = 0;
    std::string text_;
};

}  // namespace farlink::storage
