// SPDX-License-Identifier: Apache-2.0
// The one rule of lifetime for handlers in the loop: a handler holds the body that it serves, and
// does nothing once that body is closed.
// A body is owned through Owned<>, or by whatever abandons it before it goes; the loop's thread.
//
// So a link may be destroyed at any time except inside of one of its own reports: its handlers
// that are still under way keep the memory of the body and change nothing.
#pragma once

#include <memory>
#include <utility>

namespace farlink::cla {

/// What derives from it has a function abandon(), which calls mark_closed(), closes its sockets
/// and cancels its timers, and reports nothing.
class LinkBody : public std::enable_shared_from_this<LinkBody> {
public:
    LinkBody(const LinkBody &) = delete;
    LinkBody &operator=(const LinkBody &) = delete;
    [[nodiscard]] bool closed() const { return closed_; }

protected:
    LinkBody() = default;
    ~LinkBody() = default;
    /// For good: handlers that are under way do nothing from now on.
    void mark_closed() { closed_ = true; }

private:
    bool closed_ = false;
};

/// A handler for Asio: calls `then(body, results...)` unless the body is closed by then.
template <class Body, class Then>
[[nodiscard]] auto while_open(Body &body, Then then) {
    return [self = std::static_pointer_cast<Body>(body.shared_from_this()),
            then = std::move(then)](auto &&...results) mutable {
        if (self->closed()) return;
        then(*self, std::forward<decltype(results)>(results)...);
    };
}

/// The owner of a body: abandons it when it goes.
template <class Body>
class Owned {
public:
    Owned() = default;
    explicit Owned(std::shared_ptr<Body> body) : body_(std::move(body)) {}
    Owned(Owned &&other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
    Owned &operator=(Owned &&other) noexcept {
        if (this == &other) return *this;
        reset();
        body_ = std::exchange(other.body_, nullptr);
        return *this;
    }
    ~Owned() { reset(); }

    void reset() {
        if (const auto body = std::exchange(body_, nullptr)) body->abandon();
    }
    [[nodiscard]] Body *get() const { return body_.get(); }
    /// For a call that may end this owner: the memory of the body stays, closed() says so.
    [[nodiscard]] std::shared_ptr<Body> hold() const { return body_; }
    Body *operator->() const { return body_.get(); }
    Body &operator*() const { return *body_; }
    explicit operator bool() const { return body_ != nullptr; }

private:
    std::shared_ptr<Body> body_;
};

template <class Body, class... Arguments>
[[nodiscard]] Owned<Body> make_owned(Arguments &&...arguments) {
    return Owned<Body>(std::make_shared<Body>(std::forward<Arguments>(arguments)...));
}

}  // namespace farlink::cla
