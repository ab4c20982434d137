// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/app_paths.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/bp/eid/reserved.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

constexpr std::uint64_t kLongestWaitSeconds = 60;
constexpr std::uint64_t kLongestLeaseSeconds = 300;
constexpr std::uint64_t kUsualLeaseSeconds = 30;
constexpr std::uint64_t kLongestStaySeconds = 3600;
constexpr std::uint64_t kUsualStaySeconds = 60;
constexpr std::uint64_t kLargestWindow = 64;
constexpr std::uint64_t kUsualWindow = 16;
constexpr std::uint64_t kLongestLifetimeSeconds = 100ULL * 365 * 24 * 3600;
constexpr std::uint64_t kMsPerSecond = 1000;
constexpr std::uint64_t kMostHops = 255;
/// Larger numbers are not exact in JSON.
constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 53) - 1;
constexpr std::size_t kLongestKey = 255;
constexpr std::size_t kLongestEndpoint = 1000;
constexpr std::size_t kEndpointSegment = 3;
constexpr std::size_t kLeaseSegment = 3;

constexpr std::array<std::string_view, 3> kPriorities{"bulk", "normal", "expedited"};
/// With their bits in AAP.
constexpr std::array<std::pair<std::string_view, std::uint8_t>, 4> kReports{
    {{"forwarding", 1}, {"deletion", 2}, {"reception", 4}, {"delivery", 8}}};

using Problem = std::optional<Answer>;

/// Nothing when the caller's token is for sending and receiving.
Problem without_rights(const Call &call) {
    if (call.rights) return std::nullopt;
    if (call.role == Role::kOperate || !call.token.empty())
        return problem(403,
                       "the token may neither send nor receive; `farlinkctl tokens make --role "
                       "applications --register ENDPOINT` makes a token that may");
    Answer answer = problem(401,
                            "sending and receiving require a token: `Authorization: Bearer TOKEN`; "
                            "`farlinkctl tokens make --role applications` makes one");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

const std::string *given(const Target &target, const char *key) {
    const auto found = target.query.find(key);
    return found == target.query.end() ? nullptr : &found->second;
}

/// In its usual spelling; nothing for another text, and for dtn:none.
std::optional<bp::Eid> endpoint_of(const std::string &text) {
    if (text.size() > kLongestEndpoint) return std::nullopt;
    auto eid = bp::Eid::parse(text);
    if (!eid || bp::leads_nowhere(eid->view())) return std::nullopt;
    return eid;
}

Answer bad_endpoint(const std::string &what) {
    return problem(400,
                   '`' + what + "`: expected an endpoint such as ipn:10.42 or dtn://name/service");
}

/// A number of the query, from `least` to `most`; `to` stays when it is absent.
template <class Number>
Problem read_number(const Target &target, const char *key, std::uint64_t least, std::uint64_t most,
                    Number &to) {
    const std::string *text = given(target, key);
    if (text == nullptr) return std::nullopt;
    const auto number = parse_number(*text, most);
    if (!number || *number < least)
        return problem(400, '`' + std::string(key) + "`: expected a number from " +
                                std::to_string(least) + " to " + std::to_string(most));
    to = Number(*number);
    return std::nullopt;
}

Problem read_ends(const EndpointRights &rights, const Target &target, SendRequest &send) {
    const std::string *source = given(target, "source");
    const auto from = source == nullptr ? std::nullopt : endpoint_of(*source);
    if (!from) return bad_endpoint("source");
    const std::string *destination = given(target, "destination");
    const auto to = destination == nullptr ? std::nullopt : endpoint_of(*destination);
    if (!to) return bad_endpoint("destination");
    if (!rights.may_send_as(from->view()))
        return problem(403, "the token may not send as this source");
    if (!rights.may_send_to(to->view()))
        return problem(403, "the token may not send to this destination");
    send.source = from->to_string();
    send.destination = to->to_string();
    const std::string *report_to = given(target, "reportTo");
    if (report_to == nullptr) return std::nullopt;
    const auto reports = endpoint_of(*report_to);
    if (!reports) return bad_endpoint("reportTo");
    if (reports->view() != from->view() && !rights.may_send_to(reports->view()))
        return problem(403, "the token may not request reports to this endpoint");
    send.report_to = reports->to_string();
    return std::nullopt;
}

Problem read_priority(const Target &target, SendRequest &send) {
    const std::string *name = given(target, "priority");
    if (name == nullptr) return std::nullopt;
    const auto found = std::ranges::find(kPriorities, *name);
    if (found == kPriorities.end())
        return problem(400, "`priority`: expected bulk, normal or expedited");
    send.priority = static_cast<std::uint8_t>(found - kPriorities.begin());
    return std::nullopt;
}

Problem read_reports(const Target &target, SendRequest &send) {
    const std::string *list = given(target, "reports");
    if (list == nullptr) return std::nullopt;
    std::uint8_t bits = 0;
    for (std::string_view rest = *list; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string_view name = rest.substr(0, comma);
        const auto found =
            std::ranges::find(kReports, name, &std::pair<std::string_view, std::uint8_t>::first);
        if (found == kReports.end())
            return problem(400,
                           "`reports`: expected reception, forwarding, delivery and deletion, "
                           "separated by commas");
        bits = static_cast<std::uint8_t>(bits | found->second);
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    if (bits != 0 && send.report_to.empty())
        return problem(400, "`reports` requires `reportTo`, the endpoint that receives them");
    send.reports = bits;
    return std::nullopt;
}

/// A sender's own identity, or a key that stands for one.
Problem read_identity(const Call &call, const Target &target, SendRequest &send) {
    const std::string &key = call.idempotency_key;
    const bool has_time = given(target, "creationTime") != nullptr;
    if (has_time != (given(target, "sequence") != nullptr))
        return problem(400, "expected both `creationTime` and `sequence`, or neither");
    if (!key.empty() && has_time)
        return problem(400, "expected either Idempotency-Key, or `creationTime` and `sequence`");
    const bool visible =
        std::ranges::all_of(key, [](char letter) { return letter >= ' ' && letter <= '~'; });
    if (key.size() > kLongestKey || !visible)
        return problem(400, "Idempotency-Key: expected at most 255 printable ASCII characters");
    // The parts cannot contain what separates them.
    if (!key.empty()) send.key = call.token + '\n' + send.source + '\n' + key;
    if (auto wrong = read_number(target, "creationTime", 1, kLargestNumber, send.creation_ms))
        return wrong;
    return read_number(target, "sequence", 0, kLargestNumber, send.sequence);
}

Problem read_options(const Call &call, const Target &target, SendRequest &send) {
    std::optional<std::uint64_t> lifetime;
    if (auto wrong = read_number(target, "lifetimeSeconds", 1, kLongestLifetimeSeconds, lifetime))
        return wrong;
    if (lifetime) send.lifetime_ms = *lifetime * kMsPerSecond;
    if (auto wrong = read_number(target, "hopLimit", 1, kMostHops, send.hop_limit)) return wrong;
    if (auto wrong = read_priority(target, send)) return wrong;
    if (auto wrong = read_reports(target, send)) return wrong;
    return read_identity(call, target, send);
}

/// The endpoint in the path, where the token may receive.
Problem read_endpoint(const Request &request, std::string &to) {
    const auto endpoint = endpoint_of(request.target.path[kEndpointSegment]);
    if (!endpoint)
        return problem(
            400,
            "expected an endpoint in the path, such as ipn:10.42 or dtn%3A%2F%2Fname%2Fservice");
    if (!request.call.rights->may_receive(endpoint->view()))
        return problem(403, "the token may not receive at this endpoint");
    to = endpoint->to_string();
    return std::nullopt;
}

}  // namespace

Result<SendRequest, Answer> send_request_of(const Call &call, const Target &target) {
    if (auto refused = without_rights(call)) return fail(std::move(*refused));
    SendRequest send;
    if (auto wrong = read_ends(*call.rights, target, send)) return fail(std::move(*wrong));
    if (auto wrong = read_options(call, target, send)) return fail(std::move(*wrong));
    return send;
}

Outcome send_bundle(const Request &request) {
    auto send = send_request_of(request.call, request.target);
    if (!send) return std::move(send.error());
    return std::move(*send);
}

Outcome receive_bundle(const Request &request) {
    if (auto refused = without_rights(request.call)) return std::move(*refused);
    ReceiveRequest receive{{},
                           request.call.token,
                           seconds(0),
                           seconds(kUsualLeaseSeconds),
                           seconds(kUsualStaySeconds)};
    if (auto wrong = read_endpoint(request, receive.endpoint)) return std::move(*wrong);
    if (auto wrong =
            read_number(request.target, "waitSeconds", 0, kLongestWaitSeconds, receive.wait))
        return std::move(*wrong);
    if (auto wrong =
            read_number(request.target, "leaseSeconds", 1, kLongestLeaseSeconds, receive.lease))
        return std::move(*wrong);
    if (auto wrong =
            read_number(request.target, "staySeconds", 0, kLongestStaySeconds, receive.stay))
        return std::move(*wrong);
    return receive;
}

Outcome accept_bundle(const Request &request) {
    if (auto refused = without_rights(request.call)) return std::move(*refused);
    return AcceptRequest{request.target.path[kLeaseSegment], request.call.rights};
}

Outcome messages(const Request &request) {
    if (auto refused = without_rights(request.call)) return std::move(*refused);
    MessagesRequest wanted;
    wanted.rights = request.call.rights;
    wanted.window = kUsualWindow;
    wanted.stay = seconds(kUsualStaySeconds);
    if (auto wrong = read_endpoint(request, wanted.endpoint)) return std::move(*wrong);
    if (auto wrong = read_number(request.target, "window", 0, kLargestWindow, wanted.window))
        return std::move(*wrong);
    if (auto wrong =
            read_number(request.target, "staySeconds", 0, kLongestStaySeconds, wanted.stay))
        return std::move(*wrong);
    return wanted;
}

}  // namespace farlink::telemetry::paths
