// SPDX-License-Identifier: Apache-2.0
// Any octets as an application's: a stream in pieces leads to the same bundles as the same
// stream at once, every bundle is well formed, and all memory comes back.
// Input: an octet of piece size, an octet whose lowest bit lets the peer read what it gets, the
// stream.
#include "common/base/invariant.hpp"
#include "tests/support/app_session_host.hpp"

namespace {

using namespace farlink;

struct Heard {
    std::vector<Bytes> bundles;
    bool ended = false;
};

Heard run(ByteView stream, std::size_t piece, bool reads) {
    test::AppSessionHost host(test::at_ms(1000));
    while (!stream.empty() && !host.session.ended()) {
        const std::size_t size = std::min<std::size_t>(stream.size(), 4096);
        host.feed(stream.first(size), piece);
        stream = stream.subspan(size);
        if (reads) (void)host.written();
    }
    (void)host.written();
    return {std::move(host.bundles), host.session.ended()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2) return 0;
    const bool reads = (data[1] & 1) != 0;
    const ByteView stream(data + 2, size - 2);
    const Heard whole = run(stream, ~std::size_t{0}, reads);
    const Heard pieces = run(stream, std::size_t{data[0]} + 1, reads);
    FARLINK_INVARIANT(whole.bundles == pieces.bundles && whole.ended == pieces.ended);
    return 0;
}
