// SPDX-License-Identifier: Apache-2.0
// The destination by which stored bundles are listed: a node, all of a node, or one endpoint.

/** "20" and "ipn:20" are all of the node; throws an Error that says what is allowed. */
export function readDestination(text: string): string {
  const said = text.trim();
  if (said === "" || /^ipn:[0-9]+\.([0-9]+|\*)$/.test(said) || said.startsWith("dtn:")) return said;
  const node = said.match(/^(?:ipn:)?([1-9][0-9]*)$/);
  if (node) return `ipn:${node[1]}.*`;
  throw new Error(
    `Destination: found ${said}; expected a node as 20, or an endpoint as ipn:20.1 or ipn:20.*.`,
  );
}

/** The node of such a destination, where it is one of scheme ipn. */
export const nodeOf = (destination: string | null | undefined): string | undefined =>
  destination?.match(/^ipn:([0-9]+)\./)?.[1];
