// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications at the mock node: some with receivers, some without, some that
// only send.

const BUNDLE_BYTES = 1_250;
const BACKLOG = 1_204;
const FIRST_LINK = 0x60000000;
const FIRST_SERVICE = 42;
const FIRST_DYNAMIC = 5_000;

const amount = (what, bundles) => ({
  [`${what}Bundles`]: bundles,
  [`${what}Bytes`]: bundles * BUNDLE_BYTES,
});

/** Of three kinds in turn: with receivers; only configured, with a backlog; one that only sends. */
export function firstEndpoints(node, count) {
  const endpoints = {};
  for (let place = 0; place < count; place += 1) {
    const turn = place % 3;
    const configured = turn !== 2;
    const endpoint = `ipn:${node}.${(configured ? FIRST_SERVICE : FIRST_DYNAMIC) + place}`;
    const receivers = turn === 0 ? 1 + (place % 2) : 0;
    endpoints[endpoint] = {
      endpoint,
      link: FIRST_LINK + place,
      configured,
      receivers,
      connections: turn === 1 ? 0 : receivers + (turn === 2 ? 1 : place % 4),
      ...amount("waiting", 3 * receivers),
      leasedBundles: receivers,
      ...amount("stored", turn === 1 ? BACKLOG + place : 0),
      ...amount("delivered", receivers ? 1_000_000 + place : 0),
      ...amount("sent", turn === 2 ? 84_310 + place : 0),
    };
  }
  return endpoints;
}

/** What has changed in a second. */
export function changedEndpoints(endpoints) {
  const change = {};
  for (const [name, one] of Object.entries(endpoints))
    change[name] = {
      ...(one.receivers ? amount("delivered", one.deliveredBundles + 25 * one.receivers) : {}),
      ...(one.connections > one.receivers ? amount("sent", one.sentBundles + 10) : {}),
    };
  return change;
}

/** What is stored for endpoints, as storage reports it. */
export function pendingOf(node, endpoints, nextExpiry) {
  const pending = {};
  for (const [name, one] of Object.entries(endpoints)) {
    const { storedBundles: bundles, storedBytes } = one;
    if (bundles)
      pending[name] = { destination: node, name, bundles, bytes: storedBytes, nextExpiry };
  }
  return pending;
}
