// SPDX-License-Identifier: Apache-2.0
#include "cla/io/name_resolver.hpp"

namespace farlink::cla {

void NameResolver::resolve(const config::LinkUrl &url, Done done) {
    lookup_ = make_owned<Lookup>(io_, std::move(done));
    lookup_->start(url);
}

void NameResolver::Lookup::start(const config::LinkUrl &url) {
    resolver_.async_resolve(
        url.host, std::to_string(url.port), decltype(resolver_)::numeric_service,
        while_open(*this,
                   [](Lookup &self, const boost::system::error_code &error, const Found &found) {
                       // The look-up is over before its result may begin another one.
                       self.mark_closed();
                       const auto done = std::move(self.done_);
                       done(error ? Found() : found, error);
                   }));
}

void NameResolver::Lookup::abandon() {
    mark_closed();
    resolver_.cancel();
}

}  // namespace farlink::cla
