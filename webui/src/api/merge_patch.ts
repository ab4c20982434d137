// SPDX-License-Identifier: Apache-2.0
// JSON Merge Patch (RFC 7396): a null removes a key, an object is merged, any other value
// replaces.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Keys that would change the prototype of objects; a server never sends them.
const isSafeKey = (key: string): boolean => key !== "__proto__";

/**
 * Applies `patch` to `target` in place and returns the result, which is `target` itself when both
 * are objects. In place, since copies would be garbage: ten patches a second with a hundred links.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: { [key: string]: Json } = isObject(target) ? target : {};
  for (const key of Object.keys(patch)) {
    if (!isSafeKey(key)) continue;
    const value = patch[key];
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value) as Json;
  }
  return result;
}
