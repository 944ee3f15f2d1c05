/** Which objects of a kind are looked at again in an hour: each of them once in so many, evenly spread. */
import { conditionOf } from '../api/conditions.ts';
import { resourceOf } from '../api/kind.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import type { Store } from '../store/store.ts';
import type { ControllerWiring, WorkRequest } from './dispatch.ts';
import type { Kinds } from './kinds.ts';

/** Hours between two looks at an object: finds what got lost on its way, which nothing tells of. */
export const defaultHours = 24;
/** Of one that is ready, and of which a sweep sees what matters. */
export const sweptHours = 28 * 24;

/** FNV-1a: the same in every process, and even over names that differ in a digit. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
};

/** Of one that is on its way: nobody but its controller brings it on, and others wait for it. */
const unsettledHours = 1;

/** Being deleted, or changed since its controller last said something, or not as it is wanted. */
const isUnsettled = ({ metadata, status }: KubeObject): boolean => {
  const { observedGeneration, conditions } = (status ?? {}) as {
    observedGeneration?: number;
    conditions?: Condition[];
  };
  return (
    metadata.deletionTimestamp !== undefined ||
    (observedGeneration ?? Number.POSITIVE_INFINITY) < (metadata.generation ?? 0) ||
    ['Ready', 'Available'].some((type) => (conditionOf(conditions, type)?.status ?? 'True') !== 'True')
  );
};
const isReady = ({ status }: KubeObject): boolean => (status as { ready?: unknown } | undefined)?.ready === true;
const hoursOf = (object: KubeObject, isSwept: boolean): number => {
  if (isUnsettled(object)) return unsettledHours;
  return isSwept && isReady(object) ? sweptHours : defaultHours;
};

const hour = 3_600_000;

/** Whole hours since the epoch, the first of them left out: one window begins where the last one ended. */
export interface Hours {
  after: number;
  until: number;
}

/** From one time to another, in milliseconds since the epoch; without a first, everything is due. */
export const hoursBetween = (after: number | undefined, until: number): Hours => ({
  after: after === undefined ? Number.NEGATIVE_INFINITY : Math.floor(after / hour),
  until: Math.floor(until / hour),
});

/** Whether one of the hours is the object's: it has one in so many. */
export const isDue = (id: string, every: number, { after, until }: Hours): boolean =>
  until - ((((until - hashOf(id)) % every) + every) % every) > after;

/** Without hours, everything. */
export const resyncRequests = async (
  { kinds, store }: { kinds: Kinds; store: Pick<Store, 'list'> },
  controller: string,
  wires: Pick<ControllerWiring, 'for' | 'swept'>,
  hours: Hours | undefined,
): Promise<WorkRequest[]> => {
  const type = resourceOf(kinds.named(wires.for));
  const { objects } = await store.list(type);
  const isAsked = (object: KubeObject) => {
    const every = hoursOf(object, wires.swept ?? false);
    return !hours || isDue(`${object.metadata.namespace}/${object.metadata.name}`, every, hours);
  };
  return objects
    .filter(isAsked)
    .map(({ metadata: { namespace = '', name } }) => ({ key: { controller, type, namespace, name }, urgent: true }));
};
