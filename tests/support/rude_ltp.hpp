// SPDX-License-Identifier: Apache-2.0
// An LTP peer with deviations that farlink tolerates: it keeps 32 bits of numbers, answers from
// another port than it listens on, sends everything to one port, appends octets to its reports, and
// has a small buffer.
// Owned by a test, which runs it between two slices of its own loop.
// One thread.
#pragma once

#include <boost/asio/ip/udp.hpp>

#include "cla/ltp/core/codec/segment.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::test {

/// A datagram as read by a peer that keeps 32 bits of session and serial numbers.
inline Bytes with_cut_numbers(ByteView datagram) {
    constexpr std::uint64_t kKept = 0xffffffffU;
    Bytes cut;
    while (const auto segment = cla::ltp::decode_segment(datagram)) {
        datagram = datagram.subspan(segment->octets.size());
        Bytes octets(cla::ltp::kMaxControlBytes + cla::ltp::kMaxDataFieldsBytes);
        std::uint8_t *to = cla::ltp::encode_prefix(octets.data(), segment->type,
                                                   segment->originator, segment->session & kKept);
        ByteView rest;
        if (cla::ltp::is_data(segment->type)) {
            cla::ltp::DataFields fields = segment->data;
            fields.checkpoint_serial &= kKept;
            fields.report_serial &= kKept;
            to = cla::ltp::encode_data_fields(to, segment->type, fields, fields.data.size());
            rest = fields.data;
        } else if (segment->type == cla::ltp::SegmentType::kReport) {
            cla::ltp::ReportFields fields = segment->report;
            fields.checkpoint_serial &= kKept;
            fields.report_serial &= kKept;
            to = cla::ltp::encode_report_fields(to, fields);
            rest = fields.claims;
        } else if (segment->type == cla::ltp::SegmentType::kReportAck) {
            to += codec::encode_sdnv(segment->acked_report & kKept, to);
        } else if (segment->type == cla::ltp::SegmentType::kCancelBySender ||
                   segment->type == cla::ltp::SegmentType::kCancelByReceiver) {
            *to++ = segment->reason;
        }
        octets.resize(static_cast<std::size_t>(to - octets.data()));
        append(octets, rest);
        append(cut, octets);
    }
    return cut;
}

/// A report with meaningless octets behind it.
inline Bytes with_junk(ByteView datagram) {
    Bytes octets(datagram.begin(), datagram.end());
    const auto segment = cla::ltp::decode_segment(datagram);
    if (segment && segment->type == cla::ltp::SegmentType::kReport)
        octets.resize(octets.size() + 7);
    return octets;
}

class RudeLtp {
public:
    using Endpoint = boost::asio::ip::udp::endpoint;

    /// Its engine has number `engine`, and its peer is engine `peer`. It listens at `host`.
    RudeLtp(boost::asio::io_context &io, std::uint64_t engine, std::uint64_t peer,
            const std::string &host = "127.0.0.1")
        : side({cla::ltp::EngineId{engine}, {}, 1024}, config_for(peer), engine),
          listens_(io, Endpoint(boost::asio::ip::make_address(host), 0)),
          sends_(io, Endpoint(boost::asio::ip::make_address(host), 0)) {
        listens_.non_blocking(true);
        side.keep_octets = true;
        side.engine.contact_opened(side.peer, monotonic_now());
    }
    [[nodiscard]] std::uint16_t port() const { return listens_.local_endpoint().port(); }
    /// The address to which it sends everything.
    void send_to(const Endpoint &target) { target_ = target; }
    /// Datagrams that do not fit are lost.
    void set_receive_buffer(int bytes) {
        listens_.set_option(boost::asio::socket_base::receive_buffer_size(bytes));
    }
    void send(std::uint64_t number, std::size_t size) {
        Bytes block = numbered_block(number, size);
        block[0] = 0;  // no bundle starts with 0
        side.send(number, std::move(block), ~std::uint64_t{0}, monotonic_now());
    }
    /// Reads, answers, and runs its timers.
    void work() {
        Bytes datagram(65'536);
        boost::system::error_code error;
        Endpoint from;
        for (int reads = 0; reads < 100'000; ++reads) {
            const std::size_t size =
                listens_.receive_from(boost::asio::buffer(datagram), from, 0, error);
            if (error) break;
            ++datagrams;
            side.engine.handle_datagram(side.peer, with_cut_numbers(ByteView(datagram).first(size)),
                                        monotonic_now());
        }
        side.engine.handle_timeout(monotonic_now());
        side.drain(monotonic_now());
        while (side.engine.wants_to_send(side.peer)) {
            side.batch.clear();
            side.engine.poll_segments(side.peer, side.batch, 100'000, monotonic_now());
            for (const cla::ltp::OutSegment &segment : side.batch.segments()) {
                Bytes octets;
                for (const ByteView piece : side.batch.pieces_of(segment)) append(octets, piece);
                octets = with_junk(octets);
                sends_.send_to(boost::asio::buffer(octets), target_, 0, error);
            }
            if (side.batch.empty()) break;
        }
        side.drain(monotonic_now());
    }

    LtpSide side;
    std::uint64_t datagrams = 0;  ///< that it has read

private:
    static cla::ltp::PeerConfig config_for(std::uint64_t peer) {
        cla::ltp::PeerConfig config;
        config.engine = cla::ltp::EngineId{peer};
        config.timing = {Duration{}, seconds(2)};
        return config;
    }

    boost::asio::ip::udp::socket listens_;
    boost::asio::ip::udp::socket sends_;
    Endpoint target_;
};

}  // namespace farlink::test
