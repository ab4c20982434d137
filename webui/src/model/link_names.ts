// SPDX-License-Identifier: Apache-2.0
// The names by which the series of a link go. Made once for each link: ten updates a second of a
// thousand links would otherwise make forty thousand texts a second.

export interface LinkSeries {
  in: string;
  out: string;
  inBundles: string;
  outBundles: string;
}

const known = new Map<string, LinkSeries>();

export function linkSeries(key: string): LinkSeries {
  let names = known.get(key);
  if (!names) {
    const front = `link.${key}`;
    names = {
      in: `${front}.in`,
      out: `${front}.out`,
      inBundles: `${front}.inBundles`,
      outBundles: `${front}.outBundles`,
    };
    known.set(key, names);
  }
  return names;
}

export function forgetLinkSeries(key: string): void {
  known.delete(key);
}
