// SPDX-License-Identifier: Apache-2.0
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "module/telemetry/api/header_checks.hpp"
#include "module/telemetry/api/paths/app_paths.hpp"
#include "module/telemetry/api/request/message_frame.hpp"
#include "module/telemetry/core/text/json.hpp"
#include "module/telemetry/gateway/app_gateway.hpp"
#include "module/telemetry/http/websocket_connection.hpp"

namespace farlink::telemetry {
namespace {

/// A client with more bundles under way is not read.
constexpr std::size_t kMostUnderWay = 64;
constexpr std::size_t kMostUnderWayBytes = 1 << 20;
/// A client with more to read gets nothing more.
constexpr std::size_t kMostUnsentBytes = 1 << 20;
constexpr seconds kSlowestWrite{30};

Json json_of(const client::Adu &adu) {
    Json head{{"type", "bundle"},
              {"number", adu.number},
              {"id", adu.id().to_string()},
              {"source", adu.source},
              {"destination", adu.destination},
              {"ageMilliseconds", adu.age_ms},
              {"repeated", adu.repeated},
              {"statusReport", adu.is_status_report}};
    if (!adu.report_to.empty()) head["reportTo"] = adu.report_to;
    if (adu.previous_node != 0) head["previousNode"] = adu.previous_node;
    if (adu.hop_limit != 0) {
        head["hopCount"] = adu.hop_count;
        head["hopLimit"] = adu.hop_limit;
    }
    return head;
}

class MessageConnection final : public Connection,
                                public std::enable_shared_from_this<MessageConnection> {
public:
    MessageConnection(ConnectionHost &host, ServerStream stream, const Call &caller,
                      MessagesRequest wanted)
        : host_(host),
          socket_(std::move(stream)),
          patience_(socket_.get_executor()),
          held_(host.gateway().held()),
          registration_(host.gateway().registration(wanted.endpoint, wanted.window, wanted.stay)),
          receiver_(registration_),
          direction_(receiver_, *held_),
          receives_(wanted.window > 0) {
        caller_.rights = caller.rights;
        caller_.token = caller.token;
        caller_.role = caller.role;
    }

    void start(const HttpRequest &request, const std::string &address) {
        host_.keep(shared_from_this(), address);
        beast::get_lowest_layer(socket_).expires_never();
        const websocket::stream_base::timeout limits{seconds(5), seconds(30), true};
        socket_.set_option(limits);
        socket_.set_option(
            websocket::stream_base::decorator([](websocket::response_type &response) {
                response.set(http::field::sec_websocket_protocol,
                             beast::string_view(HeaderChecks::kProtocol.data(),
                                                HeaderChecks::kProtocol.size()));
            }));
        socket_.read_message_max(kMostFrameBytes);
        socket_.auto_fragment(false);
        socket_.async_accept(request, [self = shared_from_this()](auto error) {
            if (self->closed_) return;
            if (error) return self->leave();
            if (self->receives_) self->subscribe();
            self->read();
        });
    }

    [[nodiscard]] bool waits() const override { return false; }
    void close() override {
        if (std::exchange(closed_, true)) return;
        boost::system::error_code ignored;
        beast::get_lowest_layer(socket_).socket().close(ignored);
        patience_.cancel();
        if (channel_) channel_->close();
    }

private:
    struct Unsent {
        std::string octets;
        bool binary = false;
        std::size_t payload_bytes = 0;
    };

    void leave() {
        if (closed_) return;
        const auto self = shared_from_this();
        close();
        host_.forget(self);
    }

    template <class Action>
    auto with(Action action) {
        return [weak = weak_from_this(), action](const auto &...given) {
            if (const auto self = weak.lock(); self && !self->closed_) action(*self, given...);
        };
    }

    // ---- receiving

    void subscribe() {
        AppGateway &gateway = host_.gateway();
        channel_ = std::make_shared<AppChannel>(gateway.io(), registration_, direction_);
        channel_->start(gateway.socket(),
                        {with([](MessageConnection &self) { self.send({{"type", "ready"}}); }),
                         with([](MessageConnection &self) { self.give(); }), [] {},
                         with([](MessageConnection &self, const client::Error &error) {
                             self.handle_ended(error);
                         })});
    }

    void give() {
        while (!receiver_.arrived().empty()) {
            const client::Adu adu = std::move(receiver_.arrived().front());
            receiver_.arrived().pop_front();
            const std::string_view payload = client::text_of(adu.payload);
            send(binary_frame(json_of(adu), payload), true, payload.size());
        }
        if (unsent_bytes_ > kMostUnsentBytes) channel_->set_reading(false);
    }

    void accept(std::uint64_t number) {
        if (!channel_) return end(websocket::close_code::policy_error);
        client::Adu adu;
        adu.number = number;
        receiver_.accept(adu);
        channel_->write(receiver_.take_answers());
    }

    // What was not accepted is given again.
    void handle_ended(const client::Error &error) {
        send({{"type", "ended"},
              {"detail", direction_.too_large()
                             ? "the next bundle is larger than the memory for received bundles"
                             : error.reason}});
        end(websocket::close_code::try_again_later);
    }

    // ---- sending

    void read() {
        if (reads_ || closing_ || under_way_ >= kMostUnderWay ||
            under_way_bytes_ >= kMostUnderWayBytes)
            return;
        reads_ = true;
        socket_.async_read(input_, [self = shared_from_this()](auto error, std::size_t) {
            self->reads_ = false;
            if (self->closed_) return;
            if (error) return self->leave();
            self->take_message();
        });
    }

    void take_message() {
        const std::string message = beast::buffers_to_string(input_.data());
        input_.consume(input_.size());
        if (closing_) return read();
        auto frame = parse_frame(message, socket_.got_binary(), registration_.endpoint);
        if (!frame) return end(websocket::close_code::policy_error);
        if (const auto *accepted = std::get_if<AcceptFrame>(&*frame))
            accept(accepted->number);
        else
            send_bundle(std::get<SendFrame>(*frame));
        if (!closed_) read();
    }

    void send_bundle(const SendFrame &frame) {
        Call call = caller_;
        call.idempotency_key = frame.key;
        auto request = paths::send_request_of(call, frame.target);
        if (!request) return answer(frame.ref, request.error());
        const std::size_t size = frame.payload.size();
        ++under_way_;
        under_way_bytes_ += size;
        host_.gateway().send(
            std::move(*request), std::string(frame.payload),
            with([ref = frame.ref, size](MessageConnection &self, const Answer &answer) {
                --self.under_way_;
                self.under_way_bytes_ -= size;
                self.answer(ref, answer);
                self.read();
            }));
    }

    void answer(const Json &ref, const Answer &answer) {
        const Json body = Json::parse(answer.body, nullptr, false);
        constexpr unsigned kCreated = 201;
        Json message = answer.status == kCreated
                           ? Json{{"type", "accepted"}, {"id", text_of(body, "id")}}
                           : Json{{"type", "refused"},
                                  {"status", answer.status},
                                  {"detail", text_of(body, "detail")}};
        if (!ref.is_null()) message["ref"] = ref;
        send(message);
    }

    // ---- writing

    void send(const Json &message) { send(to_text(message), false, 0); }
    void send(std::string octets, bool binary, std::size_t payload_bytes) {
        if (closed_ || closing_) return;
        unsent_bytes_ += octets.size();
        unsent_.push_back({std::move(octets), binary, payload_bytes});
        if (unsent_.size() == 1) write();
    }

    void write() {
        socket_.binary(unsent_.front().binary);
        patience_.expires_after(kSlowestWrite);
        patience_.async_wait([weak = weak_from_this(), number = ++writes_](auto cut) {
            const auto self = weak.lock();
            if (self && !cut && number == self->writes_) self->leave();
        });
        socket_.async_write(asio::buffer(unsent_.front().octets),
                            [self = shared_from_this()](auto error, std::size_t) {
                                if (self->closed_) return;
                                if (error) return self->leave();
                                self->handle_written();
                            });
    }

    void handle_written() {
        ++writes_;
        unsent_bytes_ -= unsent_.front().octets.size();
        direction_.release(unsent_.front().payload_bytes);
        unsent_.pop_front();
        if (channel_ && unsent_bytes_ <= kMostUnsentBytes / 2) channel_->set_reading(true);
        if (!unsent_.empty()) return write();
        patience_.cancel();
        if (closing_) finish();
    }

    // What is queued is written first.
    void end(websocket::close_code code) {
        if (closed_ || std::exchange(closing_, true)) return;
        code_ = code;
        if (channel_) channel_->close();
        if (unsent_.empty()) finish();
    }
    void finish() {
        patience_.expires_after(seconds(1));
        patience_.async_wait([self = shared_from_this()](auto error) {
            if (!error) self->leave();
        });
        socket_.async_close(code_, [self = shared_from_this()](auto) { self->leave(); });
    }

    ConnectionHost &host_;
    websocket::stream<ServerStream, false> socket_;
    asio::steady_timer patience_;
    beast::flat_buffer input_;
    Call caller_;  ///< its token only
    std::shared_ptr<HeldOctets> held_;
    client::Registration registration_;
    client::Receiver receiver_;
    BoundedDirection direction_;
    std::shared_ptr<AppChannel> channel_;  ///< null: it only sends
    std::deque<Unsent> unsent_;            ///< the first is being sent
    std::size_t unsent_bytes_ = 0;
    std::uint64_t writes_ = 0;
    std::size_t under_way_ = 0;
    std::size_t under_way_bytes_ = 0;
    websocket::close_code code_ = websocket::close_code::normal;
    bool receives_;
    bool reads_ = false;
    bool closing_ = false;
    bool closed_ = false;
};

}  // namespace

void start_message_connection(ConnectionHost &host, ServerStream stream, const HttpRequest &request,
                              const std::string &address, const Call &caller,
                              MessagesRequest wanted) {
    std::make_shared<MessageConnection>(host, std::move(stream), caller, std::move(wanted))
        ->start(request, address);
}

}  // namespace farlink::telemetry
