// SPDX-License-Identifier: Apache-2.0
#include "cla/io/name_resolver.hpp"

namespace farlink::cla {

void NameResolver::resolve(const config::LinkUrl &url, std::function<void(const Found &)> done) {
    resolver_.async_resolve(
        url.host, std::to_string(url.port), Found::protocol_type::resolver::numeric_service,
        [done = std::move(done), last = std::weak_ptr(attempt_), attempt = ++*attempt_](
            const boost::system::error_code &error, const Found &found) {
            const auto current = last.lock();
            if (!current || attempt != *current) return;
            done(error ? Found() : found);
        });
}

void NameResolver::cancel() {
    ++*attempt_;
    resolver_.cancel();
}

}  // namespace farlink::cla
