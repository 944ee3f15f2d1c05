/** Finds resources that have lost their object. Pure; orphans are reported and never deleted. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { machineUidTag } from '../../infrastructure-aws/aws-machine/request.ts';
import { clusterTag, clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import { copyOfTag, keptSinceTag, keptUntilTag } from '../../infrastructure-aws/kept-disks.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import type { Kept, Missing, Moved, Orphan } from './schema.ts';

/** Uids of the existing owners. */
export interface Known {
  clusters: ReadonlySet<string>;
  machines: ReadonlySet<string>;
}

/**
 * The owner uid of a resource without a cluster tag. Capstan tags every resource that it creates.
 */
const unnamed = '';

/** The uid of an owner that does not exist; undefined if all owners exist. */
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

/** A copy of a disk, which stays until a time, or for good if its tag names none. */
export const isKept = ({ type, tags }: TaggedResource): boolean =>
  type === 'snapshot' && tags[keptUntilTag] !== undefined;

/** When it is deleted; undefined for other resources, and for one whose tag is no time. */
export const keptUntil = (resource: TaggedResource): number | undefined => {
  const until = Date.parse(isKept(resource) ? (resource.tags[keptUntilTag] ?? '') : '');
  return Number.isNaN(until) ? undefined : until;
};

const keptAs = (region: string, resource: TaggedResource): Kept => {
  const { tags } = resource;
  const { [copyOfTag]: of, [keptSinceTag]: since, [keptUntilTag]: until = '' } = tags;
  const cluster = Object.keys(tags)
    .find((key) => key.startsWith(clusterTag('')))
    ?.slice(clusterTag('').length);
  const { machineUid: _, installation: __, ...candidateOf } = candidate(region, resource);
  return {
    ...candidateOf,
    ...(cluster && { cluster }),
    ...(of && { of }),
    ...(since && { since }),
    ...(keptUntil(resource) === undefined
      ? { fault: `its tag ${keptUntilTag} is no time, such as 2027-06-30T00:00:00Z: ${JSON.stringify(until)}` }
      : { until }),
  };
};

/** What stays of a cluster of another installation whose objects are gone. */
export const orphansOfMoved = ({ installation, region }: Moved, resources: readonly TaggedResource[]): Orphan[] =>
  resources.map((resource) => {
    const { machineUid: _, ...orphan } = candidate(region, resource);
    return { ...orphan, installation };
  });

const keyOf = ({ region, type, id }: Orphan) => `${region} ${type} ${id}`;
const inOrder = <T>(all: T[], key: (one: T) => string): T[] =>
  all.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));

export const keptIn = (region: string, resources: readonly TaggedResource[]): Kept[] =>
  inOrder(
    resources.filter(isKept).map((one) => keptAs(region, one)),
    keyOf,
  );

export interface Sweep {
  /** The resources of each region; an unreadable region is absent. */
  regions: { region: string; resources: TaggedResource[] }[];
  /** Orphans and missing owners of the last sweep. */
  before: { missing: readonly Missing[]; orphans: readonly Orphan[] };
  /** Some regions were unreadable. */
  isPartial: boolean;
  known: Known;
  /** Milliseconds since the epoch. */
  now: number;
  /**
   * Milliseconds for which an owner must be missing: its object may just have been created, or be
   * about to go.
   */
  grace: number;
}

/** An owner counts as lost once it is missing in two sweeps, some minutes apart. */
export const findOrphans = ({ regions, before, isPartial, known, now, grace }: Sweep) => {
  const all = regions.flatMap(({ region, resources }) => resources.map((resource) => candidate(region, resource)));
  const byMissingOwner = new Map<string, Orphan[]>();
  for (const one of all) {
    const uid = missingOwner(one, known);
    if (uid !== undefined) byMissingOwner.set(uid, [...(byMissingOwner.get(uid) ?? []), one]);
  }
  const first = new Map(before.missing.map(({ uid, since }) => [uid, since]));
  const uids = new Set(byMissingOwner.keys());
  // For an unreadable region the last result stands, unless the owner is back.
  if (isPartial)
    for (const uid of first.keys()) if (!known.clusters.has(uid) && !known.machines.has(uid)) uids.add(uid);
  const missing = inOrder(
    [...uids].map((uid): Missing => ({ uid, since: first.get(uid) ?? timestamp(now) })),
    ({ uid }) => uid,
  );
  const isLost = ({ since }: Missing) => now - Date.parse(since) >= grace;
  const read = new Set(regions.map(({ region }) => region));
  const kept = before.orphans.filter((one) => !read.has(one.region) && missingOwner(one, known) !== undefined);
  const lost = missing.filter(isLost).flatMap(({ uid }) => byMissingOwner.get(uid) ?? []);
  const orphans = inOrder([...lost, ...kept], keyOf).map((one) => {
    const { machineUid: _, ...rest } = one;
    return known.clusters.has(one.clusterUid ?? unnamed) ? one : rest;
  });
  return { missing, orphans, resources: all.length };
};
