// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/link_resolver.hpp"

namespace farlink::cla::ltp {

void LinkResolver::resolve(const config::LinkUrl &url) {
    resolver_.resolve(url, [self = shared_from_this()](const Found &found) {
        if (self->closed()) return;
        self->on_resolved_(found);
    });
}

void LinkResolver::close() {
    closed_ = true;
    cancel();
}

}  // namespace farlink::cla::ltp
