// SPDX-License-Identifier: Apache-2.0
// Looks up the address of a neighbour that datagrams go to, without waiting for the name service.
// Owned by an outduct; its loop's thread only.
// A look-up may end long after its link, when a name server does not answer; it is ignored then.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <string>
#include <utility>

#include "cla/io/link_body.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::cla {

class NameResolver {
public:
    using Found = boost::asio::ip::udp::resolver::results_type;
    /// The addresses, and why there are none.
    using Done = std::function<void(const Found &, const boost::system::error_code &)>;

    explicit NameResolver(boost::asio::io_context &io) : io_(io) {}

    /// Calls `done` once with what was found, nothing where there is no address; unless cancel() or
    /// another resolve() comes first, or this object goes.
    void resolve(const config::LinkUrl &url, Done done);
    void cancel() { lookup_.reset(); }

private:
    /// One look-up.
    class Lookup : public LinkBody {
    public:
        Lookup(boost::asio::io_context &io, Done done) : resolver_(io), done_(std::move(done)) {}
        void start(const config::LinkUrl &url);
        void abandon();

    private:
        boost::asio::ip::udp::resolver resolver_;
        Done done_;
    };

    boost::asio::io_context &io_;
    Owned<Lookup> lookup_;
};

/// Why no datagrams go to a neighbour: its name has no address, or no socket opens to one. `error`
/// is that of the look-up or of the socket.
[[nodiscard]] inline std::string unusable_words(const NameResolver::Found &found,
                                                const config::LinkUrl &url,
                                                const boost::system::error_code &error) {
    std::string words = (found.empty() ? "cannot look up " : "cannot open a socket to ") + url.host;
    if (error) words += ": " + error.message();
    return words;
}

}  // namespace farlink::cla
