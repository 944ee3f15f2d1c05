import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { equal } from '../../../machinery/api/merge.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  type Failure,
  found,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { installationName } from '../../common/installation.ts';
import { notDeletedEvent } from '../../common/undeleted.ts';
import { deleteStrandedSecrets } from '../../infrastructure-aws/aws-machine/stranded.ts';
import { installationTag } from '../../infrastructure-aws/engine/tags.ts';
import { keptUntilTag } from '../../infrastructure-aws/kept-disks.ts';
import { callCloud, callInstallation } from '../../ports/index.ts';
import type { Freeze, TaggedResource } from '../../ports/installation.ts';
import type { Installation } from './index.ts';
import type { MovedCluster, Observed } from './observe.ts';
import { findOrphans, isKept, keptIn, keptUntil, orphansOfMoved } from './orphans.ts';
import type { InstallationStatus, Orphan } from './schema.ts';
import { mayBeUnlisted } from './stale-pass.ts';

/**
 * Seconds between sweeps. `calm` applies while nothing is wrong: the deletion of an object triggers
 * a sweep anyway. `grace` is how long an owner must be missing.
 */
const calm = 24 * 3600;
const period = 600;
const grace = 300;
/** Orphans in the status, and how many of them an Event names. */
const mostShown = 100;
const mostNamed = 5;

const howToLift = (id: string): string =>
  `When it is as it should be: capstan thaw, or kubectl patch installation ${installationName} --type merge -p '{"spec":{"resume":"${id}"}}'`;

/** When a sweep last changed the report. A sweep with the same result writes nothing. */
const transitionTime = ({ status }: Installation, next: InstallationStatus, now: number): string => {
  const { lastTransitionTime, conditions: _, ...before } = status ?? {};
  return lastTransitionTime !== undefined && equal(before, next) ? lastTransitionTime : timestamp(now);
};

const frozenStatus = (freeze: Freeze, { status }: Installation, now: number): InstallationStatus['frozen'] => {
  const before = status?.frozen;
  const since = before?.id === freeze.id ? before.since : undefined;
  return { id: freeze.id, reason: freeze.reason, message: freeze.message, since: since ?? timestamp(now) };
};

const nameOf = ({ type, id }: Orphan) => `${type} ${id}`;

const orphanEvent = (orphans: readonly Orphan[]): EventDraft => {
  if (orphans.length === 0)
    return {
      type: 'Normal',
      reason: 'NoOrphans',
      message: 'Every resource in the account has its object',
      isOfStatus: true,
    };
  const named = orphans.slice(0, mostNamed).map(nameOf).join(', ');
  const more = orphans.length > mostNamed ? ' and others' : '';
  const verb = orphans.length === 1 ? 'resource has lost its object' : 'resources have lost their objects';
  return {
    type: 'Warning',
    reason: 'OrphansFound',
    message: `${orphans.length} ${verb}: ${named}${more}. Nothing deletes them; capstan orphans list says what to do`,
  };
};

const eventsOf = (freeze: Freeze | undefined, { status }: Installation, orphans: Orphan[] | undefined) => {
  const events: EventDraft[] = [];
  const before = status?.frozen;
  if (freeze && freeze.id !== before?.id)
    events.push({ type: 'Warning', reason: 'Frozen', message: `${freeze.message} ${howToLift(freeze.id)}` });
  if (!freeze && before)
    events.push({ type: 'Normal', reason: 'Thawed', message: `Freeze ${before.id} was lifted`, isOfStatus: true });
  if (orphans) events.push(orphanEvent(orphans));
  return events;
};

/** What was to stay until now. The tag with the time proves that, and must still be there. */
const deleteOver = (id: string, region: string, resources: readonly TaggedResource[], now: number): Action[] =>
  resources
    .filter((one) => (keptUntil(one) ?? now) < now)
    .map((one) => {
      const owned = { [installationTag]: id, [keptUntilTag]: one.tags[keptUntilTag]! };
      // A user may have made an image of it.
      return { ...callCloud(region, 'DeleteSnapshot', { SnapshotId: one.id }, owned), optional: true as const };
    });

/** Of this very pass: the next one tries again. */
const undeletedEvents = (failure: Failure | undefined, now: number): EventDraft[] =>
  failure?.operation === 'DeleteSnapshot' && failure.at >= now
    ? [
        notDeletedEvent(
          `The copy of a disk that a restore kept is not deleted: ${failure.code}: ${failure.message}; Capstan tries again within a day, and capstan orphans list names it`,
        ),
      ]
    : [];

/** Until a search of the account finds nothing of it. */
const isFollowed = ({ isHere, resources }: MovedCluster): boolean =>
  isHere || resources?.state !== 'found' || resources.value.length > 0;

/** An unreadable region keeps the last result. */
const orphansOf = ({ resources, ...moved }: MovedCluster, before: readonly Orphan[]): Orphan[] => {
  if (resources?.state === 'found') return orphansOfMoved(moved, resources.value);
  return before.filter(({ clusterUid, installation }) => installation !== undefined && clusterUid === moved.clusterUid);
};

/**
 * Reports whether the installation may act, lifts a freeze that a user names, and searches for
 * orphans. Idle, without any call, while nothing can be orphaned: no object creates resources, and
 * every region that ever had some is empty.
 */
export const reconcile = (
  observed: Observed,
  { now, config, installation: id, lastFailure }: Context,
): Plan<InstallationStatus> => {
  const { installation, known, isTended, moved, regions } = observed;
  const state = found(observed.state);
  const speed = speedOf(config);
  if (!state || !known) return { requeueAfter: period / speed };
  const { freeze } = state;
  const { spec, status } = installation;
  if (freeze && spec?.resume === freeze.id)
    return { actions: [callInstallation('Thaw', { id: freeze.id })], again: true };

  const readable = regions.flatMap(({ region, resources, stranded }) =>
    resources.state === 'found'
      ? [{ region, resources: resources.value.filter((one) => !stranded.some((secret) => secret.id === one.id)) }]
      : [],
  );
  const unkept = readable.map((one) => ({
    ...one,
    resources: one.resources.filter((resource) => !isKept(resource)),
  }));
  const kept = readable.flatMap(({ region, resources: all }) => keptIn(region, all));
  const unreadable = regions.flatMap(({ region, resources }) => (resources.state === 'unreadable' ? [region] : []));
  const before = { missing: status?.missing ?? [], orphans: status?.orphans ?? [] };
  const sweep = {
    regions: unkept,
    before: { ...before, orphans: before.orphans.filter((one) => one.installation === undefined) },
    isPartial: unreadable.length > 0,
    known,
    now,
    grace: (grace * 1000) / speed,
  };
  const { missing, orphans: own, resources } = findOrphans(sweep);
  const orphans = [...own, ...moved.flatMap((one) => orphansOf(one, before.orphans))];
  const followed = moved.filter(isFollowed);
  const shown = orphans.slice(0, mostShown);
  // A further missing owner of the same resource is no change of the resource.
  const isNew = !equal(before.orphans.map(nameOf), shown.map(nameOf)) || (status?.orphanCount ?? 0) !== orphans.length;
  const isWell = missing.length + orphans.length + unreadable.length === 0;
  const mayBeMore = mayBeUnlisted(installation, now, speed);
  const isBare = resources + unreadable.length === 0 && regions.every(({ stranded }) => stranded.length === 0);
  const isIdle = !isTended && isBare && !mayBeMore && followed.length === 0;
  const next: InstallationStatus = {
    id,
    ...(freeze && { frozen: frozenStatus(freeze, installation, now) }),
    ...(regions.length > 0 && { regions: regions.map(({ region }) => region) }),
    ...(unreadable.length > 0 && { unreadable }),
    ...(missing.length > 0 && { missing }),
    ...(followed.length > 0 && {
      moved: followed.map(({ clusterUid, installation: of, region }) => ({ clusterUid, installation: of, region })),
    }),
    orphanCount: orphans.length,
    ...(shown.length > 0 && { orphans: shown }),
    ...(kept.length > 0 && { kept: kept.slice(0, mostShown) }),
  };
  return {
    actions: [
      ...(freeze ? [] : regions.flatMap(({ region, stranded }) => deleteStrandedSecrets(id, region, stranded))),
      ...(freeze ? [] : readable.flatMap(({ region, resources: all }) => deleteOver(id, region, all, now))),
      ...(isNew ? [callInstallation('Report', { total: orphans.length, orphans: shown.map(nameOf) })] : []),
    ],
    events: [...eventsOf(freeze, installation, isNew ? orphans : undefined), ...undeletedEvents(lastFailure, now)],
    status: { ...next, lastTransitionTime: transitionTime(installation, next, now) },
    ...(!(isIdle && kept.length === 0) && {
      requeueAfter: ((isTended && isWell && !mayBeMore) || isIdle ? calm : period) / speed,
    }),
  };
};
