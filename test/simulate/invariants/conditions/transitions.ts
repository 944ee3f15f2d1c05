import { isDeepStrictEqual } from 'node:util';
import { kinds } from '../../../../kinds/index.ts';
import { resourceOf } from '../../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Commit } from '../../mirror.ts';
import { underWay } from '../grace.ts';
import type { Rule } from '../rule.ts';

/** Clocks of workers are up to two seconds wrong, and times are whole seconds. */
const unsharp = 5000;
const custom = new Set(kinds.filter((kind) => kind.custom).map(resourceOf));

interface Timed {
  type: string;
  status: string;
  lastTransitionTime?: string;
}
interface Told {
  conditions?: Timed[];
  deprecated?: { v1beta1?: { conditions?: Timed[] } };
}
const conditionsOf = ({ status }: KubeObject): Timed[] => {
  const { conditions = [], deprecated } = (status ?? {}) as Told;
  const older = deprecated?.v1beta1?.conditions ?? [];
  return [...conditions, ...older.map((one) => ({ ...one, type: `${one.type} (v1beta1)` }))];
};

const askedOf = ({ metadata: _, status: __, ...rest }: KubeObject) => rest;

export const transitions: Rule = ({ world, has }, broken) => {
  const { clock } = world;
  const fail = (what: string) => {
    throw broken(what);
  };
  /** A condition keeps its time as long as it keeps its status, and then has the time of the change. */
  const expectTimes = (id: string, object: KubeObject, before: KubeObject) => {
    const known = new Map(conditionsOf(before).map((one) => [one.type, one]));
    for (const { type, status, lastTransitionTime: at = '' } of conditionsOf(object)) {
      const old = known.get(type);
      if (!old) continue;
      if (old.status === status && old.lastTransitionTime !== at)
        fail(`${type} of ${id} is ${status} as before, and since ${at} instead of ${old.lastTransitionTime}`);
      const late = clock.now() - Date.parse(at);
      if (old.status !== status && !(Math.abs(late) <= underWay(has) + unsharp))
        fail(`${type} of ${id} became ${status}, and is said to be so since ${at}, ${Math.round(late / 1000)} s ago`);
    }
  };
  /** One more with whatever is asked for, its end included, and the same with all that is only noted or said. */
  const expectGeneration = ({ type }: Commit, id: string, object: KubeObject, before: KubeObject) => {
    if (!custom.has(type)) return;
    const isDeletion = (object.metadata.deletionTimestamp ?? '') !== (before.metadata.deletionTimestamp ?? '');
    const isNew = isDeletion || !isDeepStrictEqual(askedOf(object), askedOf(before));
    const [was = 0, is = 0] = [before.metadata.generation, object.metadata.generation];
    if (is !== was + Number(isNew))
      fail(
        `${id} is ${isDeletion ? 'deleted' : isNew ? 'changed' : 'as before'}, and of generation ${is} after ${was}`,
      );
  };
  /** Nothing here goes by and by: who is deleted has no more time than its finalizers take; of namespaces none is told. */
  const expectNoGrace = ({ type }: Commit, id: string, { metadata }: KubeObject, before: KubeObject) => {
    if (!metadata.deletionTimestamp || before.metadata.deletionTimestamp) return;
    const [is, should] = [metadata.deletionGracePeriodSeconds, type === 'namespaces' ? undefined : 0];
    if (is !== should) fail(`${id} is deleted, and has ${is} s to go, not ${should}`);
  };
  /** Whoever pauses says nothing else than before. */
  const expectSilence = (id: string, object: KubeObject, before: KubeObject) => {
    const [told, known] = [conditionsOf(object), conditionsOf(before)];
    const isPaused = (all: Timed[]) => all.some(({ type, status }) => type === 'Paused' && status === 'True');
    if (!isPaused(told) || isPaused(known)) return;
    const isSaid = (one: Timed) => told.some((other) => isDeepStrictEqual(other, one));
    const lost = known.find((one) => one.type !== 'Paused' && !isSaid(one));
    if (lost) fail(`${id} is paused, and says of ${lost.type} something else than before`);
  };
  /** What somebody else says beside it stays as it is. */
  const expectOthers = (id: string, object: KubeObject, before: KubeObject) => {
    const told = (object.status as Told | undefined)?.conditions ?? [];
    for (const one of (before.status as Told | undefined)?.conditions ?? [])
      if (one.type.includes('/') && !told.some((other) => isDeepStrictEqual(other, one)))
        fail(`${id} loses ${one.type}, which somebody else says of it`);
  };
  /** Whoever is done lets go of it for himself. */
  const expectHeld = (id: string, writer: string, { metadata }: KubeObject, before: KubeObject) => {
    const left = (before.metadata.finalizers ?? []).filter((one) => !metadata.finalizers?.includes(one));
    if (left.length > 1) fail(`${writer} takes ${left.join(' and ')} off ${id}`);
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
