// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/primary.hpp"

#include <algorithm>

#include "common/bp/base/report_requests.hpp"
#include "common/bp/eid/reserved.hpp"

namespace farlink::bp::v6 {
namespace {

/// The NUL-terminated string at `offset`; false when there is none.
bool dictionary_string(ByteView dictionary, std::uint64_t offset, std::string_view &text) {
    if (offset >= dictionary.size()) return false;
    const std::string_view from = as_text(dictionary.subspan(static_cast<std::size_t>(offset)));
    const std::size_t end = from.find('\0');
    if (end == std::string_view::npos) return false;
    text = from.substr(0, end);
    return true;
}

Priority to_priority(std::uint64_t flags) {
    // RFC 5050 section 4.2: the fourth value is reserved; it gets no priority over others.
    const auto level = static_cast<std::uint8_t>(flags >> kPriorityShift & kPriorityMask);
    return level < kPriorityCount ? static_cast<Priority>(level) : Priority::kNormal;
}

void take_flags(BundleView &view) {
    view.is_fragment = (view.flags & kIsFragment) != 0;
    view.is_admin_record = (view.flags & kIsAdminRecord) != 0;
    view.must_not_fragment = (view.flags & kMustNotFragment) != 0;
    view.custody_requested = (view.flags & kCustodyRequested) != 0;
    view.requests = report_requests(view.flags);
    view.priority = to_priority(view.flags);
}

/// RFC 5050 section 4.2: combinations of flags that are not allowed.
Check check_flags(const BundleView &view) {
    const bool requests = (view.flags & (kCustodyRequested | kReportFlags)) != 0;
    if (view.is_admin_record && requests) return fail(ParseError::kBadFlags);
    if (view.source.is_null() && (requests || !view.must_not_fragment))
        return fail(ParseError::kBadFlags);
    if (view.is_fragment && view.must_not_fragment) return fail(ParseError::kBadFlags);
    return {};
}

/// A block length that ends inside of a field is wrong.
ParseError inside_primary(ParseError error) {
    return error == ParseError::kTruncated ? ParseError::kBadPrimaryLength : error;
}

}  // namespace

Check read_endpoint(ByteView dictionary, const std::uint64_t *pair, EidView &eid) {
    // RFC 6260 section 2.2: without a dictionary the pair is node and service number.
    if (dictionary.empty()) {
        eid = ipn_eid(pair[0], pair[1]);
        return {};
    }
    std::string_view scheme;
    std::string_view ssp;
    if (!dictionary_string(dictionary, pair[0], scheme) ||
        !dictionary_string(dictionary, pair[1], ssp))
        return fail(ParseError::kBadDictionary);
    if (scheme == "ipn") {
        const auto ipn = parse_ipn_ssp(ssp);
        if (!ipn) return fail(ParseError::kBadEid);
        eid = *ipn;
        return {};
    }
    if (scheme == "dtn") {
        if (ssp == "none")
            eid = {};
        else
            eid = {EidScheme::kDtn, 0, 0, ssp};
        return {};
    }
    // A view can name an endpoint of another scheme only where its parts are adjacent in the
    // dictionary.
    if (ssp.data() != scheme.data() + scheme.size() + 1) return fail(ParseError::kBadEid);
    eid = {EidScheme::kOther, 0, 0, {scheme.data(), scheme.size() + 1 + ssp.size()}};
    return {};
}

Check read_raw_primary(SdnvReader &reader, RawPrimary &raw) {
    if (reader.left().empty()) return fail(ParseError::kTruncated);
    reader.skip(1);  // the version
    std::uint64_t length = 0;
    if (const Check flags = reader.read(raw.flags); !flags) return flags;
    if (const Check read = reader.read(length); !read) return read;
    if (length > reader.left().size()) return fail(ParseError::kTruncated);

    // The fields are read from all octets that are left, which is quicker near the end of the
    // block; their size is then compared with the block's length.
    const ByteView body_begin = reader.left();
    const auto size = static_cast<std::size_t>(length);
    SdnvReader body(body_begin);
    const auto taken = [&] { return body_begin.size() - body.left().size(); };
    if (const Check read = body.read(raw.fields); !read) return fail(inside_primary(read.error()));
    if (taken() > size || raw.fields[kDictionaryLength] > size - taken())
        return fail(ParseError::kBadPrimaryLength);
    raw.dictionary = body.left().first(static_cast<std::size_t>(raw.fields[kDictionaryLength]));
    body.skip(raw.dictionary.size());
    if ((raw.flags & kIsFragment) != 0) {
        std::uint64_t part[2];
        if (const Check read = body.read(part); !read) return fail(inside_primary(read.error()));
        raw.fragment_offset = part[0];
        raw.total_adu_length = part[1];
    }
    if (taken() != size) return fail(ParseError::kBadPrimaryLength);
    reader = body;
    return {};
}

Check read_primary(SdnvReader &reader, BundleView &view) {
    RawPrimary raw;
    if (const Check read = read_raw_primary(reader, raw); !read) return read;
    view.flags = raw.flags;
    take_flags(view);
    view.fragment_offset = raw.fragment_offset;
    view.total_adu_length = raw.total_adu_length;
    for (const auto &[at, eid] :
         {std::pair{kDestination, &view.destination}, std::pair{kSource, &view.source},
          std::pair{kReportTo, &view.report_to}, std::pair{kCustodian, &view.custodian}})
        if (const Check read = read_endpoint(raw.dictionary, raw.fields + at, *eid); !read)
            return read;
    if (leads_nowhere(view.source)) view.source = {};
    view.creation_time = raw.fields[kCreationTime];
    view.sequence = raw.fields[kSequence];
    constexpr std::uint64_t kMost = kDtnNever / kMsPerSecond;
    const std::uint64_t lifetime_s = raw.fields[kLifetime];
    view.lifetime_ms = lifetime_s > kMost ? kDtnNever : lifetime_s * kMsPerSecond;
    return check_flags(view);
}

}  // namespace farlink::bp::v6
