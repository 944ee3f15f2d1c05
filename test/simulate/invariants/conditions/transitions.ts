import { isDeepStrictEqual } from 'node:util';
import { kinds } from '../../../../kinds/index.ts';
import { changeAccepted, reconcileSucceeded } from '../../../../machinery/api/conditions.ts';
import { resourceOf } from '../../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Commit } from '../../mirror.ts';
import { underWay } from '../grace.ts';
import type { Rule } from '../rule.ts';

/** Workers' clocks are wrong by up to two seconds, and times are whole seconds. */
const clockTolerance = 5000;
const custom = new Set(kinds.filter((kind) => kind.custom).map(resourceOf));

interface Timed {
  type: string;
  status: string;
  lastTransitionTime?: string;
}
interface Conditioned {
  conditions?: Timed[];
  deprecated?: { v1beta1?: { conditions?: Timed[] } };
}
const conditionsOf = ({ status }: KubeObject): Timed[] => {
  const { conditions = [], deprecated } = (status ?? {}) as Conditioned;
  const older = deprecated?.v1beta1?.conditions ?? [];
  return [...conditions, ...older.map((one) => ({ ...one, type: `${one.type} (v1beta1)` }))];
};

/** A controller without conditions of its own reports a fault under its name. */
const isFault = (type: string): boolean =>
  [changeAccepted, reconcileSucceeded].some((fault) => type.endsWith(`.capstan.dev/${fault}`));

const askedOf = ({ metadata: _, status: __, ...rest }: KubeObject) => rest;

export const transitions: Rule = ({ world, has }, broken) => {
  const { clock } = world;
  const fail = (what: string) => {
    throw broken(what);
  };
  /**
   * lastTransitionTime changes exactly when the status of the condition does, to the current time.
   */
  const expectTimes = (id: string, object: KubeObject, before: KubeObject) => {
    const known = new Map(conditionsOf(before).map((one) => [one.type, one]));
    for (const { type, status, lastTransitionTime: at = '' } of conditionsOf(object)) {
      const old = known.get(type);
      if (!old) continue;
      if (old.status === status && old.lastTransitionTime !== at)
        fail(
          `${type} of ${id} is still ${status}, but its lastTransitionTime became ${at} instead of ${old.lastTransitionTime}`,
        );
      const delay = clock.now() - Date.parse(at);
      if (old.status !== status && !(Math.abs(delay) <= underWay(has) + clockTolerance))
        fail(
          `${type} of ${id} became ${status}, but its lastTransitionTime is ${at}, ${Math.round(delay / 1000)} s ago`,
        );
    }
  };
  /**
   * The generation grows by one with a change of the spec or a deletion, and not with a change of
   * metadata or status.
   */
  const expectGeneration = ({ type }: Commit, id: string, object: KubeObject, before: KubeObject) => {
    if (!custom.has(type)) return;
    const isDeletion = (object.metadata.deletionTimestamp ?? '') !== (before.metadata.deletionTimestamp ?? '');
    const isNew = isDeletion || !isDeepStrictEqual(askedOf(object), askedOf(before));
    const [was = 0, is = 0] = [before.metadata.generation, object.metadata.generation];
    if (is !== was + Number(isNew))
      fail(
        `${id} is ${isDeletion ? 'deleted' : isNew ? 'changed' : 'unchanged'}, but its generation is ${is} after ${was}`,
      );
  };
  /** A deletion sets a grace period of 0 seconds, except on namespaces, which have none. */
  const expectNoGrace = ({ type }: Commit, id: string, { metadata }: KubeObject, before: KubeObject) => {
    if (!metadata.deletionTimestamp || before.metadata.deletionTimestamp) return;
    const [is, should] = [metadata.deletionGracePeriodSeconds, type === 'namespaces' ? undefined : 0];
    if (is !== should) fail(`${id} is deleted with a grace period of ${is} s, not ${should}`);
  };
  /** The pass that sets Paused leaves all other conditions unchanged. */
  const expectSilence = (id: string, object: KubeObject, before: KubeObject) => {
    const [reported, known] = [conditionsOf(object), conditionsOf(before)];
    const isPaused = (all: Timed[]) => all.some(({ type, status }) => type === 'Paused' && status === 'True');
    if (!isPaused(reported) || isPaused(known)) return;
    const isReported = (one: Timed) => reported.some((other) => isDeepStrictEqual(other, one));
    const lost = known.find((one) => one.type !== 'Paused' && !isReported(one));
    if (lost) fail(`${id} is paused, but its condition ${lost.type} changed`);
  };
  /** Controllers keep the conditions that users added. */
  const expectOthers = (id: string, object: KubeObject, before: KubeObject) => {
    const reported = (object.status as Conditioned | undefined)?.conditions ?? [];
    for (const one of (before.status as Conditioned | undefined)?.conditions ?? [])
      if (one.type.includes('/') && !isFault(one.type) && !reported.some((other) => isDeepStrictEqual(other, one)))
        fail(`${id} loses ${one.type}, a condition of its user`);
  };
  /** A writer removes its own finalizer only. */
  const expectHeld = (id: string, writer: string, { metadata }: KubeObject, before: KubeObject) => {
    const left = (before.metadata.finalizers ?? []).filter((one) => !metadata.finalizers?.includes(one));
    if (left.length > 1) fail(`${writer} removes finalizers ${left.join(' and ')} from ${id}`);
  };
  return {
    onCommit: (commit) => {
      const { type, namespace, name, object, before, writer } = commit;
      if (!object || !before || object.metadata.uid !== before.metadata.uid) return;
      const id = `${type} ${namespace}/${name}`;
      if (type === 'events') return;
      if (writer) {
        expectTimes(id, object, before);
        expectSilence(id, object, before);
        expectOthers(id, object, before);
        expectHeld(id, writer, object, before);
      }
      expectGeneration(commit, id, object, before);
      expectNoGrace(commit, id, object, before);
    },
  };
};
