// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_keys.hpp"

#include <array>

namespace farlink::config {
namespace {

using Kind = JsonValue::Kind;
using Rule = HdtnRule;

constexpr std::uint64_t kMaxMs = 60'000;
constexpr std::uint64_t kDayMs = 86'400'000;

constexpr std::string_view kComment =
    "a name only for operators; in farlink links and nodes have numbers";
constexpr std::string_view kUnused = "not used by HDTN either";
constexpr std::string_view kBus =
    "no ZeroMQ ports are needed: the modules are in one process; for several see `bus`";
constexpr std::string_view kOnDisk =
    "LTP sessions on disk have no counterpart; a bundle is stored when it is whole";
constexpr std::string_view kOwnBuffers = "buffers grow as needed, within `bufferBytes`";

constexpr HdtnKey note(std::string_view key, Kind kind, std::string_view text,
                       unsigned layers = kEveryLayer) {
    return {.key = key, .kind = kind, .rule = Rule::kNote, .text = text, .layers = layers};
}
constexpr HdtnKey read(std::string_view key, Kind kind, unsigned layers = kEveryLayer) {
    return {.key = key, .kind = kind, .rule = Rule::kRead, .layers = layers};
}
constexpr HdtnKey refuse_if_set(std::string_view key, Kind kind, std::string_view text,
                                unsigned layers = kEveryLayer) {
    return {.key = key, .kind = kind, .rule = Rule::kRefuseIfSet, .text = text, .layers = layers};
}
constexpr HdtnKey copy(std::string_view key, std::uint64_t minimum, std::uint64_t maximum,
                       unsigned layers = kEveryLayer, std::string_view target = {}) {
    return {.key = key, .target = target, .minimum = minimum, .maximum = maximum, .layers = layers};
}
constexpr HdtnKey copy_exactly(std::string_view key, std::uint64_t minimum, std::uint64_t maximum,
                               unsigned layers = kEveryLayer) {
    return {.key = key,
            .rule = Rule::kCopyExactly,
            .minimum = minimum,
            .maximum = maximum,
            .layers = layers};
}

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

constexpr std::array kTop{
    note("hdtnConfigName", Kind::kText, kComment),
    read("userInterfaceOn", Kind::kBoolean),
    note("mySchemeName", Kind::kText, kUnused),
    copy_exactly("myNodeId", 1, kMost),
    copy_exactly("myBpEchoServiceId", 1, 0xffffffff),
    note("myCustodialSsp", Kind::kText, kUnused),
    refuse_if_set("myCustodialServiceId", Kind::kInteger,
                  "custody signals are always sent as service 0 of the node"),
    note("myRouterServiceId", Kind::kInteger, kUnused),
    HdtnKey{.key = "isAcsAware", .kind = Kind::kBoolean},
    copy("acsMaxFillsPerAcsPacket", 1, 2000),
    copy("acsSendPeriodMilliseconds", 0, 3'600'000),
    copy("retransmitBundleAfterNoCustodySignalMilliseconds", 10, 30 * kDayMs),
    read("maxBundleSizeBytes", Kind::kInteger),
    read("maxIngressBundleWaitOnEgressMilliseconds", Kind::kInteger),
    read("bufferRxToStorageOnLinkUpSaturation", Kind::kBoolean),
    note("maxLtpReceiveUdpPacketSizeBytes", Kind::kInteger, "datagrams of any size are accepted"),
    HdtnKey{.key = "neighborDepletedStorageDelaySeconds",
            .text = "with which the refused bundles wait; in HDTN 0 turns the feature off",
            .maximum = 86'400},
    copy("fragmentBundlesLargerThanBytes", 0, kMostLinkBytes),
    note("enforceBundlePriority", Kind::kBoolean,
         "bundles of the highest priority always go first"),
    note("zmqBoundRouterPubSubPortPath", Kind::kInteger, kBus),
    note("zmqBoundTelemApiPortPath", Kind::kInteger,
         "the API is HTTP (`api.listen`), commands use `controlSocket`"),
    read("inductsConfig", Kind::kObject),
    read("outductsConfig", Kind::kObject),
    read("storageConfig", Kind::kObject),
};

constexpr std::array kInductList{
    note("inductConfigName", Kind::kText, kComment),
    read("inductVector", Kind::kList),
};

constexpr std::array kOutductList{
    note("outductConfigName", Kind::kText, kComment),
    read("outductVector", Kind::kList),
};

constexpr std::array kInduct{
    note("name", Kind::kText, kComment),
    read("convergenceLayer", Kind::kText),
    read("boundPort", Kind::kInteger),
    copy("numRxCircularBufferElements", 16, 1'000'000, kLtp),
    note("numRxCircularBufferElements", Kind::kInteger, kOwnBuffers, kStcp | kTcpcl | kUdp),
    note("numRxCircularBufferBytesPerElement", Kind::kInteger, kOwnBuffers, kUdp | kTcpcl),
    copy("keepAliveIntervalSeconds", 0, 65'535, kTcpcl),
    note("keepAliveIntervalSeconds", Kind::kInteger,
         "only the sender of STCP sends keepalives; to end silent connections set "
         "`idleTimeoutSeconds`",
         kStcp),
    copy_exactly("thisLtpEngineId", 1, kMost, kLtp),
    note("remoteLtpEngineId", Kind::kInteger, "an induct accepts blocks of any engine", kLtp),
    copy("ltpReportSegmentMtu", 128, 65'000, kLtp),
    copy("oneWayLightTimeMs", 0, kDayMs, kLtp),
    copy("oneWayMarginTimeMs", 1, kDayMs, kLtp),
    copy_exactly("clientServiceId", 1, 2, kLtp),
    note("preallocatedRedDataBytes", Kind::kInteger, kOwnBuffers, kLtp),
    copy("ltpMaxRetriesPerSerialNumber", 1, 1000, kLtp),
    copy("ltpRandomNumberSizeBits", 32, 64, kLtp),
    note("ltpRemoteUdpHostname", Kind::kText,
         "reports go to where the data came from: the sender must send from the port at which it "
         "receives reports",
         kLtp),
    note("ltpRemoteUdpPort", Kind::kInteger, "as ltpRemoteUdpHostname", kLtp),
    note("ltpRxDataSegmentSessionNumberRecreationPreventerHistorySize", Kind::kInteger,
         "65,536 ended sessions are always remembered", kLtp),
    read("ltpMaxExpectedSimultaneousSessions", Kind::kInteger, kLtp),
    note("ltpMaxUdpPacketsToSendPerSystemCall", Kind::kInteger,
         "datagrams are always sent in batches", kLtp),
    copy("delaySendingOfReportSegmentsTimeMsOrZeroToDisable", 0, kMaxMs, kLtp),
    refuse_if_set("keepActiveSessionDataOnDisk", Kind::kBoolean, kOnDisk, kLtp),
    note("activeSessionDataOnDiskNewFileDurationMs", Kind::kInteger, kOnDisk, kLtp),
    note("activeSessionDataOnDiskDirectory", Kind::kText, kOnDisk, kLtp),
    read("tcpclV3MyMaxTxSegmentSizeBytes", Kind::kInteger, kTcpclv3),
    copy("tcpclV4MyMaxRxSegmentSizeBytes", 1024, kMostLinkBytes, kTcpclv4, "segmentMruBytes"),
    read("tlsIsRequired", Kind::kBoolean, kTcpclv4),
    read("certificatePemFile", Kind::kText, kTcpclv4),
    read("privateKeyPemFile", Kind::kText, kTcpclv4),
    note("diffieHellmanParametersPemFile", Kind::kText, "key exchange needs no file (ECDHE)",
         kTcpclv4),
};

constexpr std::array kOutduct{
    note("name", Kind::kText, kComment),
    read("convergenceLayer", Kind::kText),
    copy_exactly("nextHopNodeId", 1, kMost),
    read("remoteHostname", Kind::kText),
    read("remotePort", Kind::kInteger),
    copy("maxNumberOfBundlesInPipeline", 1, 16'777'216),
    copy("maxSumOfBundleBytesInPipeline", 1, kTiB),
    copy_exactly("thisLtpEngineId", 1, kMost, kLtp),
    copy_exactly("remoteLtpEngineId", 1, kMost, kLtp),
    copy("ltpDataSegmentMtu", 128, 65'000, kLtp),
    copy("oneWayLightTimeMs", 0, kDayMs, kLtp),
    copy("oneWayMarginTimeMs", 1, kDayMs, kLtp),
    copy_exactly("clientServiceId", 1, 2, kLtp),
    copy("numRxCircularBufferElements", 16, 1'000'000, kLtp),
    copy("ltpMaxRetriesPerSerialNumber", 1, 1000, kLtp),
    copy("ltpCheckpointEveryNthDataSegment", 0, 1'000'000, kLtp),
    copy("ltpRandomNumberSizeBits", 32, 64, kLtp),
    copy_exactly("ltpSenderBoundPort", 0, 65'535, kLtp),
    copy("ltpSenderPingSecondsOrZeroToDisable", 0, 86'400, kLtp),
    copy("delaySendingOfDataSegmentsTimeMsOrZeroToDisable", 0, kMaxMs, kLtp),
    note("ltpMaxUdpPacketsToSendPerSystemCall", Kind::kInteger,
         "datagrams are always sent in batches", kLtp),
    refuse_if_set("keepActiveSessionDataOnDisk", Kind::kBoolean, kOnDisk, kLtp),
    note("activeSessionDataOnDiskNewFileDurationMs", Kind::kInteger, kOnDisk, kLtp),
    note("activeSessionDataOnDiskDirectory", Kind::kText, kOnDisk, kLtp),
    note("rateLimitPrecisionMicroSec", Kind::kInteger,
         "farlink paces in steps of a millisecond; the rates are those of the contacts",
         kUdp | kLtp),
    copy("keepAliveIntervalSeconds", 0, 65'535, kStcp | kTcpcl),
    read("tcpclV3MyMaxTxSegmentSizeBytes", Kind::kInteger, kTcpclv3),
    note("tcpclAllowOpportunisticReceiveBundles", Kind::kBoolean,
         "sessions always carry bundles both ways", kTcpcl),
    copy("tcpclV4MyMaxRxSegmentSizeBytes", 1024, kMostLinkBytes, kTcpclv4, "segmentMruBytes"),
    read("tryUseTls", Kind::kBoolean, kTcpclv4),
    read("tlsIsRequired", Kind::kBoolean, kTcpclv4),
    note("useTlsVersion1_3", Kind::kBoolean, "TLS 1.3 is used where the peer has it, else 1.2",
         kTcpclv4),
    read("doX509CertificateVerification", Kind::kBoolean, kTcpclv4),
    read("verifySubjectAltNameInX509Certificate", Kind::kBoolean, kTcpclv4),
    read("certificationAuthorityPemFileForVerification", Kind::kText, kTcpclv4),
};

constexpr std::array kStorage{
    note("storageImplementation", Kind::kText, "farlink has one kind of store"),
    HdtnKey{.key = "tryToRestoreFromDisk", .kind = Kind::kBoolean, .target = "restore"},
    HdtnKey{.key = "autoDeleteFilesOnExit", .kind = Kind::kBoolean, .target = "deleteOnExit"},
    copy("totalStorageCapacityBytes", 64 * 1024, 1024 * kTiB),
    read("storageDeletionPolicy", Kind::kText),
    read("storageDiskConfigVector", Kind::kList),
};

constexpr std::array kDisk{
    read("name", Kind::kText),
    read("storeFilePath", Kind::kText),
};

}  // namespace

std::span<const HdtnKey> hdtn_top_keys() {
    return kTop;
}
std::span<const HdtnKey> hdtn_induct_list_keys() {
    return kInductList;
}
std::span<const HdtnKey> hdtn_outduct_list_keys() {
    return kOutductList;
}
std::span<const HdtnKey> hdtn_induct_keys() {
    return kInduct;
}
std::span<const HdtnKey> hdtn_outduct_keys() {
    return kOutduct;
}
std::span<const HdtnKey> hdtn_storage_keys() {
    return kStorage;
}
std::span<const HdtnKey> hdtn_disk_keys() {
    return kDisk;
}

}  // namespace farlink::config
