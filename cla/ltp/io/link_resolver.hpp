// SPDX-License-Identifier: Apache-2.0
// Looks up the address of a neighbour: a shared body, which its waiting handler holds.
// Owned by the part of the link that needs the address, which calls close() before it ends.
// The loop's thread. After close() the callback is never called again.
#pragma once

#include <functional>
#include <memory>

#include "cla/io/name_resolver.hpp"

namespace farlink::cla::ltp {

class LinkResolver : public std::enable_shared_from_this<LinkResolver> {
public:
    using Found = NameResolver::Found;

    LinkResolver(boost::asio::io_context &io, std::function<void(const Found &)> on_resolved)
        : resolver_(io), on_resolved_(std::move(on_resolved)) {}

    /// Calls back once; without an address `Found` is empty. Replaces the look-up before it.
    void resolve(const config::LinkUrl &url);
    void cancel() { resolver_.cancel(); }
    void close();
    [[nodiscard]] bool closed() const { return closed_; }

private:
    NameResolver resolver_;
    std::function<void(const Found &)> on_resolved_;
    bool closed_ = false;
};

}  // namespace farlink::cla::ltp
