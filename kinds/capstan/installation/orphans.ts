/** Which resources have lost their object. Pure; what is found here is reported and never deleted. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { clusterUidTag } from '../../infrastructure-aws/aws-cluster/tags.ts';
import { machineUidTag } from '../../infrastructure-aws/aws-machine/request.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import type { Missing, Orphan } from './schema.ts';

/** Uids of what there is. */
export interface Known {
  clusters: ReadonlySet<string>;
  machines: ReadonlySet<string>;
}

/** A resource without a cluster's tag was never made so; it is missed under no uid. */
const unnamed = '';

/** The uid of the owner that is not there; undefined when all are. */
const missingOwner = ({ clusterUid = unnamed, machineUid }: Orphan, known: Known): string | undefined => {
  if (!known.clusters.has(clusterUid)) return clusterUid;
  return machineUid !== undefined && !known.machines.has(machineUid) ? machineUid : undefined;
};

const candidate = (region: string, { type, id, tags }: TaggedResource): Orphan => {
  const { [clusterUidTag]: clusterUid, [machineUidTag]: machineUid, Name: name } = tags;
  return {
    type,
    id,
    region,
    ...(clusterUid && { clusterUid }),
    ...(machineUid && { machineUid }),
    ...(name && { name }),
  };
};

const keyOf = ({ region, type, id }: Orphan) => `${region} ${type} ${id}`;
const inOrder = <T>(all: T[], key: (one: T) => string): T[] =>
  all.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));

export interface Sweep {
  /** What each region holds; a region that could not be read is absent. */
  regions: { region: string; resources: TaggedResource[] }[];
  /** Orphans and owners missed as of the last sweep. */
  before: { missing: readonly Missing[]; orphans: readonly Orphan[] };
  /** Some region could not be read. */
  isPartial: boolean;
  known: Known;
  /** Milliseconds since the epoch. */
  now: number;
  /** Milliseconds that an owner must have been missed: an object may just have been made, or be on its way out. */
  grace: number;
}

/** An owner counts as lost when it is missed by a second sweep, some minutes after the first. */
export const findOrphans = ({ regions, before, isPartial, known, now, grace }: Sweep) => {
  const all = regions.flatMap(({ region, resources }) => resources.map((resource) => candidate(region, resource)));
  const missed = new Map<string, Orphan[]>();
  for (const one of all) {
    const uid = missingOwner(one, known);
    if (uid !== undefined) missed.set(uid, [...(missed.get(uid) ?? []), one]);
  }
  const first = new Map(before.missing.map(({ uid, since }) => [uid, since]));
  const uids = new Set(missed.keys());
  // What a region that nobody could look at said last still stands, unless its owner is back.
  if (isPartial)
    for (const uid of first.keys()) if (!known.clusters.has(uid) && !known.machines.has(uid)) uids.add(uid);
  const missing = inOrder(
    [...uids].map((uid): Missing => ({ uid, since: first.get(uid) ?? timestamp(now) })),
    ({ uid }) => uid,
  );
  const isLost = ({ since }: Missing) => now - Date.parse(since) >= grace;
  const read = new Set(regions.map(({ region }) => region));
  const kept = before.orphans.filter((one) => !read.has(one.region) && missingOwner(one, known) !== undefined);
  const lost = missing.filter(isLost).flatMap(({ uid }) => missed.get(uid) ?? []);
  const orphans = inOrder([...lost, ...kept], keyOf).map((one) => {
    const { machineUid: _, ...rest } = one;
    return known.clusters.has(one.clusterUid ?? unnamed) ? one : rest;
  });
  return { missing, orphans, resources: all.length };
};
