// SPDX-License-Identifier: Apache-2.0
// When the certificates of the node end: those of links, their authorities, and that of the API.
// Owned by AlarmDesk; the telemetry agent's thread.
// The files are read every hour, and when one of them has changed. A file that cannot be read is
// left out: whoever loads it reports the error.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

class CertificateFiles {
public:
    static constexpr Duration kReadEvery = seconds(3600);
    static constexpr Duration kLookEvery = seconds(10);

    explicit CertificateFiles(const config::NodeConfig &config);

    // ---- changes while the node runs; the files are read at the next look()
    void set_api(const std::string &certificate);
    /// A link that is new, or has other files.
    void set_link(const config::LinkOptions &link);
    void remove_link(LinkId link);
    /// It is as at the start.
    void restore_link(LinkId link);

    /// True when they were read: certificates() may be others.
    [[nodiscard]] bool look(TimePoint now);
    [[nodiscard]] const std::vector<CertificateFacts> &certificates() const {
        return certificates_;
    }

private:
    struct File {
        LinkId link = kNoLink;     ///< the first user; kNoLink: the API
        bool authorities = false;  ///< peers' certificates come from them
        std::set<LinkId> links{};  ///< all that use the file
        std::filesystem::file_time_type written{};
    };
    void add(const std::string &path, LinkId link, bool authorities);
    /// "the API", "link 2 and 1 more link"
    [[nodiscard]] static std::string use_of(const File &file);
    void collect();
    [[nodiscard]] bool any_changed();
    void read();

    /// The files of a link.
    struct Pair {
        std::string certificate;
        std::string authorities;
    };

    [[nodiscard]] static std::map<LinkId, Pair> files_in(const config::NodeConfig &config);

    std::string api_;
    std::map<LinkId, Pair> links_;
    const std::map<LinkId, Pair> configured_;  ///< links_ at the start
    std::map<std::string, File> files_;
    std::vector<CertificateFacts> certificates_;
    TimePoint read_at_{};
    TimePoint looked_at_{};
    bool was_read_ = false;
    bool changed_ = true;  ///< the API or a link has other files
};

/// The end of validity and the subject of a certificate.
struct CertificateEnd {
    std::string name;
    DtnTime ends = 0;
};
/// Of all certificates in a PEM file, in their order; empty where it cannot be read, and in a build
/// without TLS.
[[nodiscard]] std::vector<CertificateEnd> certificate_ends(const std::string &path);

}  // namespace farlink::telemetry
