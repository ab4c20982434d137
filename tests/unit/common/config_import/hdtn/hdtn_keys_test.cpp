// SPDX-License-Identifier: Apache-2.0
// Every key of HDTN's configuration, with what becomes of it.
#include "common/config_import/hdtn/hdtn_keys.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/common/config_import/hdtn/hdtn_files.hpp"

namespace farlink::config::hdtn_keys_test {
namespace {

using test::Json;

constexpr auto kMapped = ImportOutcome::kMapped;
constexpr auto kChanged = ImportOutcome::kChanged;
constexpr auto kNoted = ImportOutcome::kNoted;
constexpr auto kRefused = ImportOutcome::kRefused;

/// A key of a configuration of tests/imports set to `value`.
struct Row {
    std::string file;
    std::string key;    ///< JSON pointer
    std::string value;  ///< JSON; empty: as in the file
    ImportOutcome outcome;
    std::string out{};       ///< JSON pointer in the result
    std::string expected{};  ///< JSON; empty: not there
    bool trust = false;
};

/// "/inductsConfig/inductVector/0/name" is the setting "inductsConfig.inductVector[0].name".
std::string setting_of(const std::string &pointer) {
    std::string setting;
    for (std::size_t at = 1; at < pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', at), pointer.size());
        const std::string part = pointer.substr(at, end - at);
        if (part.find_first_not_of("0123456789") == std::string::npos)
            setting += '[' + part + ']';
        else
            setting += (setting.empty() ? "" : ".") + part;
        at = end + 1;
    }
    return setting;
}

const std::string kIn = "/inductsConfig/inductVector/0/";
const std::string kOut = "/outductsConfig/outductVector/0/";
const std::string kIn0 = "/inductsConfig/0/";
const std::string kOut0 = "/outductsConfig/0/";
const std::string kStore = "/storageConfig/";
const std::string kDisks = "/storageConfig/storageDiskConfigVector/";

std::vector<Row> rows_of_node() {
    return {
        {"stcp", "/hdtnConfigName", "", kNoted},
        {"stcp", "/userInterfaceOn", "true", kNoted},
        {"stcp", "/userInterfaceOn", "false", kNoted},
        {"stcp", "/mySchemeName", "", kNoted},
        {"stcp", "/myNodeId", "77", kMapped, "/myNodeId", "77"},
        {"stcp", "/myNodeId", "0", kRefused},
        {"stcp", "/myBpEchoServiceId", "7", kMapped, "/myBpEchoServiceId", "7"},
        {"stcp", "/myCustodialSsp", "", kNoted},
        {"stcp", "/myCustodialServiceId", "0", kNoted},
        {"stcp", "/myCustodialServiceId", "5", kRefused},
        {"stcp", "/myRouterServiceId", "", kNoted},
        {"stcp", "/isAcsAware", "false", kMapped, "/isAcsAware", "false"},
        {"stcp", "/acsMaxFillsPerAcsPacket", "9", kMapped, "/acsMaxFillsPerAcsPacket", "9"},
        {"stcp", "/acsMaxFillsPerAcsPacket", "9000", kChanged, "/acsMaxFillsPerAcsPacket", "2000"},
        {"stcp", "/acsSendPeriodMilliseconds", "5", kMapped, "/acsSendPeriodMilliseconds", "5"},
        {"stcp", "/retransmitBundleAfterNoCustodySignalMilliseconds", "2000", kMapped,
         "/retransmitBundleAfterNoCustodySignalMilliseconds", "2000"},
        {"stcp", "/retransmitBundleAfterNoCustodySignalMilliseconds", "1", kChanged,
         "/retransmitBundleAfterNoCustodySignalMilliseconds", "10"},
        {"stcp", "/maxBundleSizeBytes", "10000", kMapped, kIn0 + "maxBundleSizeBytes", "10000"},
        {"tcpclv4", "/maxBundleSizeBytes", "10000", kMapped, kOut0 + "maxBundleSizeBytes", "10000"},
        {"stcp", "/maxIngressBundleWaitOnEgressMilliseconds", "10000", kNoted,
         "/maxPauseMilliseconds", "0"},
        {"udp", "/maxIngressBundleWaitOnEgressMilliseconds", "10000", kMapped,
         "/maxPauseMilliseconds", "10000"},
        {"udp", "/maxIngressBundleWaitOnEgressMilliseconds", "100000", kChanged,
         "/maxPauseMilliseconds", "60000"},
        {"udp", "/bufferRxToStorageOnLinkUpSaturation", "true", kMapped, "/maxPauseMilliseconds",
         "0"},
        {"udp", "/bufferRxToStorageOnLinkUpSaturation", "false", kMapped, "/maxPauseMilliseconds",
         "2000"},
        {"stcp", "/maxLtpReceiveUdpPacketSizeBytes", "", kNoted},
        {"stcp", "/neighborDepletedStorageDelaySeconds", "0", kChanged,
         "/neighborDepletedStorageDelaySeconds", "0"},
        {"stcp", "/neighborDepletedStorageDelaySeconds", "5", kMapped,
         "/neighborDepletedStorageDelaySeconds", "5"},
        {"stcp", "/fragmentBundlesLargerThanBytes", "250", kMapped,
         "/fragmentBundlesLargerThanBytes", "250"},
        {"stcp", "/enforceBundlePriority", "", kNoted},
        {"stcp", "/zmqBoundRouterPubSubPortPath", "", kNoted},
        {"stcp", "/zmqBoundTelemApiPortPath", "", kNoted},
        {"stcp", "/inductsConfig/inductConfigName", "", kNoted},
        {"stcp", "/outductsConfig/outductConfigName", "", kNoted},
    };
}

std::vector<Row> rows_of_layers() {
    return {
        {"stcp", kIn + "name", "", kNoted},
        {"stcp", kIn + "convergenceLayer", "", kMapped, kIn0 + "url", "\"stcp://0.0.0.0:14570\""},
        {"udp", kIn + "convergenceLayer", "", kMapped, kIn0 + "url", "\"udp://0.0.0.0:14568\""},
        {"ltp", kIn + "convergenceLayer", "", kMapped, kIn0 + "url", "\"ltp://0.0.0.0:14565\""},
        {"tcpclv3", kIn + "convergenceLayer", "", kMapped, kIn0 + "url",
         "\"tcpclv3://0.0.0.0:14563\""},
        {"tcpclv4", kIn + "convergenceLayer", "", kMapped, kIn0 + "url",
         "\"tcpclv4://0.0.0.0:14561\""},
        {"ltp", kIn + "convergenceLayer", "\"ltp_over_ipc\"", kRefused},
        {"ltp", kIn + "convergenceLayer", "\"ltp_over_encap_local_stream\"", kRefused},
        {"ltp", kIn + "convergenceLayer", "\"bp_over_encap_local_stream\"", kRefused},
        {"ltp", kIn + "convergenceLayer", "\"slip_over_uart\"", kRefused},
        {"stcp", kIn + "boundPort", "", kMapped},
        {"stcp", kIn + "boundPort", "70000", kRefused},
        {"ltp", kIn + "numRxCircularBufferElements", "100", kMapped,
         kIn0 + "numRxCircularBufferElements", "100"},
        {"ltp", kIn + "numRxCircularBufferElements", "1", kChanged,
         kIn0 + "numRxCircularBufferElements", "16"},
        {"stcp", kIn + "numRxCircularBufferElements", "", kNoted},
        {"tcpclv3", kIn + "numRxCircularBufferElements", "", kNoted},
        {"tcpclv4", kIn + "numRxCircularBufferElements", "", kNoted},
        {"udp", kIn + "numRxCircularBufferElements", "", kNoted},
        {"udp", kIn + "numRxCircularBufferBytesPerElement", "", kNoted},
        {"tcpclv3", kIn + "numRxCircularBufferBytesPerElement", "", kNoted},
        {"tcpclv4", kIn + "keepAliveIntervalSeconds", "30", kMapped,
         kIn0 + "keepAliveIntervalSeconds", "30"},
        {"tcpclv3", kIn + "keepAliveIntervalSeconds", "30", kMapped,
         kIn0 + "keepAliveIntervalSeconds", "30"},
        {"stcp", kIn + "keepAliveIntervalSeconds", "", kNoted},
    };
}

std::vector<Row> rows_of_ltp_inducts() {
    return {
        {"ltp", kIn + "thisLtpEngineId", "9", kMapped, kIn0 + "thisLtpEngineId", "9"},
        {"ltp", kIn + "remoteLtpEngineId", "", kNoted},
        {"ltp", kIn + "ltpReportSegmentMtu", "600", kMapped, kIn0 + "ltpReportSegmentMtu", "600"},
        {"ltp", kIn + "ltpReportSegmentMtu", "40", kChanged, kIn0 + "ltpReportSegmentMtu", "128"},
        {"ltp", kIn + "oneWayLightTimeMs", "30", kMapped, kIn0 + "oneWayLightTimeMs", "30"},
        {"ltp", kIn + "oneWayMarginTimeMs", "30", kMapped, kIn0 + "oneWayMarginTimeMs", "30"},
        {"ltp", kIn + "clientServiceId", "2", kMapped, kIn0 + "clientServiceId", "2"},
        {"ltp", kIn + "clientServiceId", "3", kRefused},
        {"ltp", kIn + "preallocatedRedDataBytes", "", kNoted},
        {"ltp", kIn + "ltpMaxRetriesPerSerialNumber", "50", kMapped,
         kIn0 + "ltpMaxRetriesPerSerialNumber", "50"},
        {"ltp", kIn + "ltpRandomNumberSizeBits", "64", kMapped, kIn0 + "ltpRandomNumberSizeBits",
         "64"},
        {"ltp", kIn + "ltpRemoteUdpHostname", "", kNoted},
        {"ltp", kIn + "ltpRemoteUdpPort", "", kNoted},
        {"ltp", kIn + "ltpRxDataSegmentSessionNumberRecreationPreventerHistorySize", "", kNoted},
        {"ltp", kIn + "ltpMaxExpectedSimultaneousSessions", "500", kNoted,
         kIn0 + "ltpMaxExpectedSimultaneousSessions", ""},
        {"ltp", kIn + "ltpMaxExpectedSimultaneousSessions", "200000", kChanged,
         kIn0 + "ltpMaxExpectedSimultaneousSessions", "200000"},
        {"ltp", kIn + "ltpMaxUdpPacketsToSendPerSystemCall", "", kNoted},
        {"ltp", kIn + "delaySendingOfReportSegmentsTimeMsOrZeroToDisable", "20", kMapped,
         kIn0 + "delaySendingOfReportSegmentsTimeMsOrZeroToDisable", "20"},
        {"ltp", kIn + "keepActiveSessionDataOnDisk", "false", kNoted},
        {"ltp", kIn + "keepActiveSessionDataOnDisk", "true", kRefused},
        {"ltp", kIn + "activeSessionDataOnDiskNewFileDurationMs", "", kNoted},
        {"ltp", kIn + "activeSessionDataOnDiskDirectory", "", kNoted},
    };
}

std::vector<Row> rows_of_tcpcl_inducts() {
    return {
        {"tcpclv3", kIn + "tcpclV3MyMaxTxSegmentSizeBytes", "9000", kMapped,
         kIn0 + "maxSegmentBytes", "9000"},
        {"tcpclv3", kIn + "tcpclV3MyMaxTxSegmentSizeBytes", "0", kChanged, kIn0 + "maxSegmentBytes",
         "4293918720"},
        {"tcpclv4", kIn + "tcpclV4MyMaxRxSegmentSizeBytes", "9000", kMapped,
         kIn0 + "segmentMruBytes", "9000"},
        {"tcpclv4", kIn + "tcpclV4MyMaxRxSegmentSizeBytes", "9", kChanged, kIn0 + "segmentMruBytes",
         "1024"},
        {"tcpclv4", kIn + "tlsIsRequired", "false", kMapped, kIn0 + "tls", ""},
        {"tcpclv4", kIn + "tlsIsRequired", "true", kRefused},
        {"tcpclv4", kIn + "certificatePemFile", "", kMapped},
        {"tcpclv4", kIn + "privateKeyPemFile", "", kMapped},
        {"tcpclv4", kIn + "diffieHellmanParametersPemFile", "", kNoted},
        {"tcpclv4", kIn.substr(0, kIn.size() - 1), "", kNoted, kIn0 + "neighbours", ""},
        {"tcpclv4", kIn.substr(0, kIn.size() - 1), "", kChanged, kIn0 + "neighbours",
         R"([{"address":"0.0.0.0/0"}])", true},
    };
}

std::vector<Row> rows_of_outducts() {
    return {
        {"stcp", kOut + "name", "", kNoted},
        {"stcp", kOut + "nextHopNodeId", "9", kMapped, kOut0 + "nextHopNodeId", "9"},
        {"stcp", kOut + "remoteHostname", "\"::1\"", kMapped, kOut0 + "url",
         "\"stcp://[::1]:14571\""},
        {"stcp", kOut + "remoteHostname", "\"no host\"", kRefused},
        {"stcp", kOut + "remotePort", "9", kMapped, kOut0 + "url", "\"stcp://127.0.0.1:9\""},
        {"stcp", kOut + "remotePort", "0", kRefused},
        {"stcp", kOut + "convergenceLayer", "\"slip_over_uart\"", kRefused},
        {"stcp", kOut + "maxNumberOfBundlesInPipeline", "5", kMapped,
         kOut0 + "maxNumberOfBundlesInPipeline", "5"},
        {"ltp", kOut + "maxNumberOfBundlesInPipeline", "5", kMapped, kOut0 + "bundlePipelineLimit",
         "5"},
        {"stcp", kOut + "maxSumOfBundleBytesInPipeline", "5", kMapped,
         kOut0 + "maxSumOfBundleBytesInPipeline", "5"},
        {"ltp", kOut + "thisLtpEngineId", "9", kMapped, kOut0 + "thisLtpEngineId", "9"},
        {"ltp", kOut + "remoteLtpEngineId", "9", kMapped, kOut0 + "remoteLtpEngineId", "9"},
        {"ltp", kOut + "ltpDataSegmentMtu", "900", kMapped, kOut0 + "ltpDataSegmentMtu", "900"},
        {"ltp", kOut + "oneWayLightTimeMs", "9", kMapped, kOut0 + "oneWayLightTimeMs", "9"},
        {"ltp", kOut + "oneWayMarginTimeMs", "9", kMapped, kOut0 + "oneWayMarginTimeMs", "9"},
        {"ltp", kOut + "clientServiceId", "4", kRefused},
        {"ltp", kOut + "numRxCircularBufferElements", "99", kMapped,
         kOut0 + "numRxCircularBufferElements", "99"},
        {"ltp", kOut + "ltpMaxRetriesPerSerialNumber", "9", kMapped,
         kOut0 + "ltpMaxRetriesPerSerialNumber", "9"},
        {"ltp", kOut + "ltpCheckpointEveryNthDataSegment", "9", kMapped,
         kOut0 + "ltpCheckpointEveryNthDataSegment", "9"},
        {"ltp", kOut + "ltpRandomNumberSizeBits", "64", kMapped, kOut0 + "ltpRandomNumberSizeBits",
         "64"},
        {"ltp", kOut + "ltpSenderBoundPort", "9", kMapped, kOut0 + "ltpSenderBoundPort", "9"},
        {"ltp", kOut + "ltpSenderPingSecondsOrZeroToDisable", "9", kMapped,
         kOut0 + "ltpSenderPingSecondsOrZeroToDisable", "9"},
        {"ltp", kOut + "delaySendingOfDataSegmentsTimeMsOrZeroToDisable", "9", kMapped,
         kOut0 + "delaySendingOfDataSegmentsTimeMsOrZeroToDisable", "9"},
        {"ltp", kOut + "ltpMaxUdpPacketsToSendPerSystemCall", "", kNoted},
        {"ltp", kOut + "keepActiveSessionDataOnDisk", "true", kRefused},
        {"ltp", kOut + "activeSessionDataOnDiskNewFileDurationMs", "", kNoted},
        {"ltp", kOut + "activeSessionDataOnDiskDirectory", "", kNoted},
        {"udp", kOut + "rateLimitPrecisionMicroSec", "", kNoted},
        {"stcp", kOut + "keepAliveIntervalSeconds", "9", kMapped,
         kOut0 + "keepAliveIntervalSeconds", "9"},
        {"tcpclv3", kOut + "tcpclV3MyMaxTxSegmentSizeBytes", "900", kMapped,
         kOut0 + "maxSegmentBytes", "900"},
        {"tcpclv3", kOut + "tcpclAllowOpportunisticReceiveBundles", "false", kNoted},
        {"tcpclv4", kOut + "tcpclV4MyMaxRxSegmentSizeBytes", "9000", kMapped,
         kOut0 + "segmentMruBytes", "9000"},
        {"tcpclv4", kOut + "tryUseTls", "false", kMapped, kOut0 + "tls", ""},
        {"tcpclv4", kOut + "tlsIsRequired", "true", kRefused},
        {"tcpclv4", kOut + "doX509CertificateVerification", "", kMapped},
        {"tcpclv4", kOut + "verifySubjectAltNameInX509Certificate", "", kMapped},
        {"tcpclv4", kOut + "certificationAuthorityPemFileForVerification", "", kMapped},
        {"tcpclv4", kOut + "useTlsVersion1_3", "", kNoted},
    };
}

std::vector<Row> rows_of_storage() {
    return {
        {"stcp", kStore + "storageImplementation", "", kNoted},
        {"stcp", kStore + "tryToRestoreFromDisk", "false", kMapped, kStore + "restore", "false"},
        {"stcp", kStore + "autoDeleteFilesOnExit", "true", kMapped, kStore + "deleteOnExit",
         "true"},
        {"stcp", kStore + "totalStorageCapacityBytes", "100000000", kMapped,
         kStore + "totalStorageCapacityBytes", "100000000"},
        {"stcp", kStore + "storageDeletionPolicy", "\"never\"", kChanged, kStore + "whenFull",
         "\"refuse\""},
        {"stcp", kStore + "storageDeletionPolicy", "\"on_expiration\"", kMapped,
         kStore + "whenFull", "\"refuse\""},
        {"stcp", kStore + "storageDeletionPolicy", "\"on_storage_full\"", kMapped,
         kStore + "whenFull", "\"makeRoom\""},
        {"stcp", kStore + "storageDeletionPolicy", "\"always\"", kRefused},
        {"tcpclv4", kDisks + "1/name", "", kMapped, kDisks + "1/name", "\"second\""},
        {"tcpclv4", kDisks + "1/name", "\"first\"", kNoted, kDisks + "1/name", ""},
        {"tcpclv4", kDisks + "1/storeFilePath", "", kChanged, kDisks + "1/storeFilePath",
         "\"harbour2\""},
        {"tcpclv4", kDisks + "1/storeFilePath", "\"harbour1\"", kRefused},
    };
}

std::vector<Row> rows() {
    std::vector<Row> all;
    for (const auto part : {rows_of_node, rows_of_layers, rows_of_ltp_inducts,
                            rows_of_tcpcl_inducts, rows_of_outducts, rows_of_storage})
        for (Row &row : part()) all.push_back(std::move(row));
    return all;
}

TEST(HdtnKeys, EachIsMappedNotedOrRefused) {
    for (const Row &row : rows()) {
        Json config = Json::parse(test::read_import(row.file + ".json"));
        if (!row.value.empty()) config[Json::json_pointer(row.key)] = Json::parse(row.value);
        HdtnChoices choices;
        choices.trust_like_hdtn = row.trust;
        const Imported made = test::import_text(config.dump(), choices);
        const std::string what = row.file + " " + row.key + " " + row.value;
        const std::string setting = setting_of(row.key);
        bool found = false;
        for (const ImportLine &line : made.report.lines(row.outcome))
            found |= line.setting == setting && !line.text.empty();
        EXPECT_TRUE(found) << what << "\n" << made.report.text_of(row.outcome);
        ASSERT_EQ(made.config.empty(), row.outcome == kRefused) << what << "\n"
                                                                << made.report.text_of(kRefused);
        if (row.out.empty()) continue;
        const Json out = Json::parse(made.config);
        const Json::json_pointer at(row.out);
        if (row.expected.empty())
            EXPECT_FALSE(out.contains(at)) << what;
        else
            EXPECT_EQ(out.value(at, Json()).dump(), Json::parse(row.expected).dump()) << what;
    }
}

/// The keys of a table; those of several layers once.
std::set<std::string> keys_of(std::span<const HdtnKey> table) {
    std::set<std::string> keys;
    for (const HdtnKey &key : table) keys.emplace(key.key);
    return keys;
}

TEST(HdtnKeys, NoneIsUntested) {
    std::set<std::string> tested{"inductsConfig", "outductsConfig", "storageConfig",
                                 "inductVector",  "outductVector",  "storageDiskConfigVector"};
    for (const Row &row : rows()) tested.insert(row.key.substr(row.key.rfind('/') + 1));
    for (const auto table :
         {hdtn_top_keys(), hdtn_induct_list_keys(), hdtn_outduct_list_keys(), hdtn_induct_keys(),
          hdtn_outduct_keys(), hdtn_storage_keys(), hdtn_disk_keys()})
        for (const std::string &key : keys_of(table)) EXPECT_TRUE(tested.contains(key)) << key;
}

}  // namespace
}  // namespace farlink::config::hdtn_keys_test
