/** Owners of replicas, as the scale subresource shows and changes them. */
import type { JsonObject } from '../api/object.ts';
import type { Element } from './element.ts';
import { decodeEntries, encodeEntries, type Manager } from './entries.ts';
import { difference, fieldSet } from './field-set.ts';

const replicas: Element[] = ['f:spec', 'f:replicas'];
const scaleVersion = 'autoscaling/v1';

/** The path of replicas at a version: null without a scale, undefined where it is not served. */
export type ReplicasAt = (apiVersion: string) => readonly Element[] | null | undefined;

/** The entries of a scale: those of the object whose managers own its replicas. */
export const scaleEntries = (entries: unknown, replicasAt: ReplicasAt): JsonObject[] | undefined => {
  const owners = new Map<string, Manager>();
  for (const [identity, manager] of decodeEntries(entries)) {
    const path = replicasAt(manager.apiVersion);
    if (path && manager.fields.has(path))
      owners.set(identity, { ...manager, apiVersion: scaleVersion, fields: fieldSet(replicas) });
  }
  return encodeEntries(owners);
};

/** The entries of the object after a write of its scale, at the version of the request. */
export const entriesAfterScale = (
  entries: unknown,
  written: unknown,
  apiVersion: string,
  replicasAt: ReplicasAt,
): JsonObject[] | undefined => {
  const parents = decodeEntries(entries);
  const owners = new Map(decodeEntries(written));
  const result = new Map<string, Manager>();
  for (const [identity, manager] of parents) {
    const path = replicasAt(manager.apiVersion);
    if (path === undefined) continue;
    const isOwner = path !== null && manager.fields.has(path);
    if (!isOwner || owners.delete(identity)) {
      result.set(identity, manager);
      continue;
    }
    const fields = difference(manager.fields, fieldSet(path));
    if (!fields.isEmpty) result.set(identity, { ...manager, fields });
  }
  for (const [identity, manager] of owners) {
    if (!manager.fields.has(replicas)) continue;
    const fields = fieldSet(replicasAt(apiVersion) ?? []);
    result.set(identity, { ...manager, apiVersion, time: parents.get(identity)?.time, fields });
  }
  return encodeEntries(result);
};
