// SPDX-License-Identifier: Apache-2.0
#include "module/control/slow_work.hpp"

#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "common/runtime/clock.hpp"

namespace farlink::control {

SlowWork::~SlowWork() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
}

bool SlowWork::add(Work work, Then then, std::size_t bytes) {
    if (waiting_.size() >= kMostWaiting || waiting_bytes_ + bytes > kMostWaitingBytes) return false;
    waiting_.push_back({std::move(work), std::move(then), bytes});
    waiting_bytes_ += bytes;
    if (!runs_) begin_next();
    return true;
}

void SlowWork::begin_next() {
    if (waiting_.empty()) return;
    Item next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.bytes;
    then_ = std::move(next.then);
    runs_.emplace(io_.get_executor());
    try {
        if (!thread_.joinable())
            thread_ = std::jthread([this](const std::stop_token &stop) { serve(stop); });
    } catch (const std::system_error &) {  // no thread: the work runs on the loop
        next.work(std::stop_token());
        boost::asio::post(io_, [this] { finish(); });
        return;
    }
    const std::scoped_lock lock(mutex_);
    work_ = std::move(next.work);
    handed_over_.notify_one();
}

void SlowWork::finish() {
    std::exchange(then_, nullptr)(read_wall_clock());
    on_done_();
    runs_.reset();
    begin_next();
}

void SlowWork::serve(const std::stop_token &stop) {
    for (;;) {
        Work work;
        {
            std::unique_lock lock(mutex_);
            if (!handed_over_.wait(lock, stop, [this] { return bool(work_); })) return;
            work = std::exchange(work_, nullptr);
        }
        work(stop);
        work = nullptr;
        boost::asio::post(io_, [this] { finish(); });
    }
}

}  // namespace farlink::control
