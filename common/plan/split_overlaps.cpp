// SPDX-License-Identifier: Apache-2.0
#include "common/plan/split_overlaps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace farlink::config {
namespace {

/// A rate for comparison: 0 is unlimited.
std::uint64_t height_of(BitRate rate) {
    return rate.value() == 0 ? std::numeric_limits<std::uint64_t>::max() : rate.value();
}

/// The contacts that hold at one moment.
class Held {
public:
    void add(const PlanContact &contact) {
        heights_.insert(height_of(contact.rate));
        owlts_.insert(contact.owlt);
        numbers_.insert(contact.id);
    }
    void remove(const PlanContact &contact) {
        heights_.erase(heights_.find(height_of(contact.rate)));
        owlts_.erase(owlts_.find(contact.owlt));
        numbers_.erase(contact.id);
    }
    [[nodiscard]] BitRate rate() const {
        const std::uint64_t highest = *heights_.rbegin();
        return BitRate{highest == height_of(BitRate{}) ? 0 : highest};
    }
    [[nodiscard]] Duration owlt() const { return *owlts_.rbegin(); }
    [[nodiscard]] OverlapPiece piece() const {
        OverlapPiece made;
        made.count = numbers_.size();
        for (const std::uint64_t number : numbers_) {
            if (made.of.size() == OverlapPiece::kMostListed) break;
            made.of.push_back(number);
        }
        return made;
    }

private:
    std::multiset<std::uint64_t> heights_;
    std::multiset<Duration> owlts_;
    std::set<std::uint64_t> numbers_;
};

class Splitter {
public:
    explicit Splitter(const std::vector<PlanContact> &contacts) : contacts_(contacts) {
        for (const PlanContact &contact : contacts) used_.insert(contact.id);
    }

    SplitPlan run() {
        std::vector<std::size_t> order(contacts_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [this](std::size_t at) {
            const PlanContact &contact = contacts_[at];
            return std::tuple(contact.source, contact.destination, contact.start, at);
        });
        for (std::size_t begin = 0; begin < order.size();) {
            const std::size_t end = end_of_cluster(order, begin);
            take(std::span(order).subspan(begin, end - begin));
            begin = end;
        }
        return in_order();
    }

private:
    struct Made {
        std::size_t order = 0;  ///< place of the first contact of its cluster
        PlanContact contact;
        OverlapPiece piece;  ///< count 0: a contact that stays as it is
    };

    [[nodiscard]] std::size_t end_of_cluster(const std::vector<std::size_t> &order,
                                             std::size_t begin) const {
        const PlanContact &first = contacts_[order[begin]];
        DtnTime until = first.end;
        std::size_t at = begin + 1;
        for (; at < order.size(); ++at) {
            const PlanContact &next = contacts_[order[at]];
            if (next.source != first.source || next.destination != first.destination ||
                next.start >= until)
                break;
            until = std::max(until, next.end);
        }
        return at;
    }

    void take(std::span<const std::size_t> cluster) {
        const std::size_t place = *std::ranges::min_element(cluster);
        if (cluster.size() == 1) {
            made_.push_back({place, contacts_[place], {}});
            return;
        }
        const std::size_t before = made_.size();
        std::vector<std::size_t> by_end(cluster.begin(), cluster.end());
        std::ranges::sort(by_end, {}, [this](std::size_t at) { return contacts_[at].end; });
        Held held;
        DtnTime now = contacts_[cluster.front()].start;
        for (std::size_t starts = 0, ends = 0; ends < by_end.size();) {
            while (starts < cluster.size() && contacts_[cluster[starts]].start == now)
                held.add(contacts_[cluster[starts++]]);
            while (ends < by_end.size() && contacts_[by_end[ends]].end == now)
                held.remove(contacts_[by_end[ends++]]);
            if (ends == by_end.size()) break;
            DtnTime next = contacts_[by_end[ends]].end;
            if (starts < cluster.size()) next = std::min(next, contacts_[cluster[starts]].start);
            add_piece(place, before, held, now, next);
            now = next;
        }
        number(before, contacts_[cluster.front()].id);
    }

    void add_piece(std::size_t place, std::size_t before, const Held &held, DtnTime from,
                   DtnTime to) {
        if (made_.size() > before) {
            Made &last = made_.back();
            if (last.contact.rate == held.rate() && last.contact.owlt == held.owlt()) {
                last.contact.end = to;
                if (OverlapPiece more = held.piece(); more.count > last.piece.count)
                    last.piece = std::move(more);
                return;
            }
        }
        PlanContact contact = contacts_[place];
        contact.start = from;
        contact.end = to;
        contact.rate = held.rate();
        contact.owlt = held.owlt();
        made_.push_back({place, contact, held.piece()});
    }

    void number(std::size_t begin, std::uint64_t first) {
        made_[begin].contact.id = first;
        for (std::size_t at = begin + 1; at < made_.size(); ++at) {
            while (used_.contains(next_)) ++next_;
            made_[at].contact.id = next_++;
        }
    }

    SplitPlan in_order() {
        std::ranges::stable_sort(made_, {}, &Made::order);
        SplitPlan plan;
        for (Made &made : made_) {
            if (made.piece.count > 0) {
                made.piece.place = plan.contacts.size();
                plan.pieces.push_back(std::move(made.piece));
            }
            plan.contacts.push_back(made.contact);
        }
        return plan;
    }

    const std::vector<PlanContact> &contacts_;
    std::unordered_set<std::uint64_t> used_;
    std::uint64_t next_ = 0;
    std::vector<Made> made_;
};

}  // namespace

SplitPlan split_overlaps(const std::vector<PlanContact> &contacts) {
    return Splitter(contacts).run();
}

}  // namespace farlink::config
