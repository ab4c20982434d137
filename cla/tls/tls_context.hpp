// SPDX-License-Identifier: Apache-2.0
// What all TLS sessions of a link share: versions, ciphers, authorities, this node's certificate.
// Owned by the link; used on its loop's thread.
// Made at start, when errors of the files are reported; later changes of the files are noticed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "cla/api/session_core.hpp"
#include "cla/tls/certificate_names.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/config/node/node_config.hpp"

struct ssl_ctx_st;

namespace farlink::cla {

/// What refresh() found; at most one of the two, each worth a line in the log.
struct TlsRefresh {
    bool reloaded = false;  ///< the files have changed and are in use from now on
    std::string failure;    ///< they have changed for the worse, and the old ones stay in use
};

class TlsContext {
public:
    /// One line that names the file and the reason when the configuration cannot be used, or when
    /// it is weak without a report. `config.mode` is not kNone.
    [[nodiscard]] static Result<TlsContext, std::string> make(const config::TlsConfig &config,
                                                              SessionRole role);
    ~TlsContext();
    TlsContext(TlsContext &&) noexcept;
    TlsContext &operator=(TlsContext &&) noexcept;

    /// Call when a new session is about to begin. Looks at the files at most once a second;
    /// sessions that have begun keep the certificate that they began with.
    [[nodiscard]] TlsRefresh refresh(TimePoint now);

    /// The names in this node's own certificate; none without one.
    [[nodiscard]] CertificateNames own_names() const;
    [[nodiscard]] ssl_ctx_st *native() const { return context_.get(); }
    /// The peer's certificate is checked: `tlsInsecure` is not set.
    [[nodiscard]] bool verifies() const { return !config_.insecure; }
    /// The names in it count, too: neither `tlsInsecure` nor `"tlsVerify": "chain"` is set.
    [[nodiscard]] bool checks_names() const { return verifies() && !config_.chain_only; }

private:
    struct Release {
        void operator()(ssl_ctx_st *context) const;
    };
    using Context = std::unique_ptr<ssl_ctx_st, Release>;
    /// Distinguishes one version of a file from the next.
    struct FileStamp {
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::int64_t size = 0;
        std::int64_t modified_ns = 0;
        friend bool operator==(const FileStamp &, const FileStamp &) = default;
    };
    using Stamps = std::array<FileStamp, 4>;

    TlsContext(config::TlsConfig config, SessionRole role);
    [[nodiscard]] static Result<Context, std::string> load(const config::TlsConfig &config,
                                                           SessionRole role);
    [[nodiscard]] Stamps stamps() const;

    config::TlsConfig config_;
    SessionRole role_;
    Context context_;
    Stamps stamps_{};
    TimePoint next_look_{};
};

}  // namespace farlink::cla
