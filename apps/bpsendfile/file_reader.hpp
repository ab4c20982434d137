// SPDX-License-Identifier: Apache-2.0
// Reads files, makes their digests on the way, and hands the ADUs to the senders.
// One for each thread; the queues and the ledger are shared and borrowed.
// A large file is read ahead by the kernel while a piece of it is digested and others are sent.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "apps/bpsendfile/ledger.hpp"
#include "apps/bpsendfile/parcel.hpp"
#include "apps/bpsendfile/work_queue.hpp"
#include "apps/shared/files/digest.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bpsendfile {

struct Queues {
    /// `buffers`: payloads in memory at a time; a reader waits for one.
    Queues(std::size_t sources_at_a_time, std::size_t buffer_count)
        : sources(sources_at_a_time), parcels(buffer_count), buffers(buffer_count) {
        for (std::size_t made = 0; made < buffer_count; ++made) buffers.push({});
    }
    WorkQueue<Source> sources;
    WorkQueue<Parcel> parcels;
    WorkQueue<Bytes> buffers;  ///< those that are free

    std::atomic<bool> abandoned = false;

    /// The threads end at once.
    void abandon() {
        abandoned = true;
        sources.abandon();
        parcels.abandon();
        buffers.abandon();
    }
};

class FileReader {
public:
    /// `watched`: a file that changes while it is read is no failure: it is found again.
    FileReader(Queues &queues, Ledger &ledger, std::uint64_t piece_bytes, bool watched)
        : queues_(queues), ledger_(ledger), piece_bytes_(piece_bytes), watched_(watched) {}

    /// Until there are no more sources.
    void run();

private:
    struct OpenFile {
        FileDescriptor descriptor{};
        files::FileVersion version{};
        files::Attributes attributes{};
    };

    void send(const Source &source);
    [[nodiscard]] bool open(const Source &source, OpenFile &file);
    void send_folder(const Source &source);
    void send_small(const Source &source, const OpenFile &file);
    void send_large(const Source &source, const OpenFile &file);
    /// False: nothing more can be sent of it.
    [[nodiscard]] bool send_pieces(const OpenFile &file, const std::shared_ptr<LargeFile> &large);
    [[nodiscard]] bool send_piece(const OpenFile &file, const std::shared_ptr<LargeFile> &large,
                                  files::Extent extent, bool wanted);
    void add_small(SmallFile small, const files::Attributes &attributes, ByteView data);
    void flush();
    void report_changed(const std::string &name, const files::FileVersion &version);
    [[nodiscard]] bool has_changed(const OpenFile &file) const;

    Queues &queues_;
    Ledger &ledger_;
    std::uint64_t piece_bytes_;
    bool watched_;
    files::Sha256 sha_;
    Bytes space_;
    Parcel small_;  ///< files and folders that make an ADU together
};

}  // namespace farlink::bpsendfile
