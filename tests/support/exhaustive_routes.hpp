// SPDX-License-Identifier: Apache-2.0
// Tries every route of a contact plan; contact graph routing must find the same one.
// For tests of the router; it shares no code with it. Values; one thread.
// The rules are those of the `model` in tests/vectors/cgr.json, in milliseconds.
#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::test {

struct Question {
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    std::uint64_t time = 0;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> excluded;  ///< next hops
};

struct Answer {
    std::uint64_t arrival = 0;
    std::uint64_t hops = 0;
    std::uint64_t termination = 0;
    std::uint64_t entry = 0;
    std::vector<std::uint64_t> contacts;  ///< ids

    /// Smaller is better.
    [[nodiscard]] auto rank() const { return std::tuple(arrival, hops, ~termination, entry); }
};

class ExhaustiveRoutes {
public:
    ExhaustiveRoutes(const std::vector<bus::Contact> &plan, Question question)
        : plan_(plan), question_(std::move(question)) {
        visited_.push_back(question_.source);
        extend(question_.source, question_.time);
    }
    /// All valid routes, best first.
    [[nodiscard]] std::vector<Answer> all() const {
        std::vector<Answer> sorted(found_);
        std::ranges::stable_sort(sorted, {}, &Answer::rank);
        return sorted;
    }
    [[nodiscard]] std::size_t count() const { return found_.size(); }
    [[nodiscard]] std::optional<Answer> best() const {
        const auto first = std::ranges::min_element(found_, {}, &Answer::rank);
        return first == found_.end() ? std::nullopt : std::optional(*first);
    }

private:
    void extend(std::uint64_t node, std::uint64_t time) {
        if (node == question_.destination) return finish(time);
        for (const bus::Contact &contact : plan_) {
            const std::uint64_t next = contact.destination.value();
            if (contact.source.value() != node || std::ranges::count(visited_, next) > 0) continue;
            if (taken_.empty() && std::ranges::count(question_.excluded, next) > 0) continue;
            const std::uint64_t first_octet = std::max(time, contact.start);
            if (first_octet >= contact.end) continue;
            taken_.push_back(&contact);
            first_octets_.push_back(first_octet);
            visited_.push_back(next);
            extend(next, first_octet + sending_ms(contact) + light_ms(contact));
            visited_.pop_back();
            first_octets_.pop_back();
            taken_.pop_back();
        }
    }

    void finish(std::uint64_t arrival) {
        if (taken_.empty()) return;
        // The effective stop time of a contact: the earliest end of it and all later ones. Its
        // effective volume, what it carries from the first octet until then, must hold the bundle.
        std::uint64_t stop = ~std::uint64_t{0};
        for (std::size_t at = taken_.size(); at-- > 0;) {
            stop = std::min(stop, taken_[at]->end);
            const std::uint64_t rate = taken_[at]->rate.value();
            if (first_octets_[at] > stop) return;
            const auto bits_ms = static_cast<Wide>(stop - first_octets_[at]) * rate;
            if (rate != 0 && bits_ms < static_cast<Wide>(question_.size) * 8000) return;
        }
        Answer answer{arrival, taken_.size(), stop, taken_[0]->destination.value(), {}};
        for (const bus::Contact *contact : taken_) answer.contacts.push_back(contact->id);
        found_.push_back(std::move(answer));
    }

    [[nodiscard]] std::uint64_t sending_ms(const bus::Contact &contact) const {
        const std::uint64_t rate = contact.rate.value();
        return rate == 0 ? 0 : (question_.size * 8000 + rate - 1) / rate;
    }
    [[nodiscard]] static std::uint64_t light_ms(const bus::Contact &contact) {
        return static_cast<std::uint64_t>(contact.owlt.count()) / 1'000'000;
    }

    __extension__ using Wide = unsigned __int128;

    const std::vector<bus::Contact> &plan_;
    Question question_;
    std::vector<std::uint64_t> visited_;
    std::vector<const bus::Contact *> taken_;
    std::vector<std::uint64_t> first_octets_;
    std::vector<Answer> found_;
};

}  // namespace farlink::test
