/**
 * Chooses the objects of a kind that a resync requeues in an hour: each object once in its
 * interval, spread evenly.
 */
import { conditionOf } from '../api/conditions.ts';
import { type KindFacts, resourceOf } from '../api/kind.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import type { ControllerWiring } from '../api/wiring.ts';
import type { Store, Unreadable } from '../store/store.ts';
import type { WorkRequest } from './dispatch.ts';
import type { Kinds } from './kinds.ts';

/** The default resync interval in hours; it finds lost work that no event reports. */
export const defaultHours = 24;
/** The interval of a ready object whose resources a sweep observes. */
export const sweptHours = 28 * 24;

/** FNV-1a: stable across processes, and evenly distributed for names that differ in one digit. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
};

/**
 * The interval of an unsettled object: only its controller can move it on, and other objects wait
 * for it.
 */
const unsettledHours = 1;

const summaryOf = ({ status }: KubeObject, { summary }: Pick<KindFacts, 'summary'>): string | undefined =>
  summary && conditionOf((status as { conditions?: Condition[] } | undefined)?.conditions, summary)?.status;

/** In deletion, not yet observed in its current generation, or not as its spec says. */
const isUnsettled = ({ metadata, status }: KubeObject, summary: string | undefined): boolean => {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: number };
  return (
    metadata.deletionTimestamp !== undefined ||
    (observedGeneration ?? Number.POSITIVE_INFINITY) < (metadata.generation ?? 0) ||
    (summary ?? 'True') !== 'True'
  );
};
const hoursOf = (object: KubeObject, kind: Pick<KindFacts, 'summary'>, isSwept: boolean): number => {
  const summary = summaryOf(object, kind);
  if (isUnsettled(object, summary)) return unsettledHours;
  return isSwept && summary === 'True' ? sweptHours : defaultHours;
};

const hour = 3_600_000;

/** Hours since the epoch in (after, until]: one window begins where the last one ended. */
export interface Hours {
  after: number;
  until: number;
}

/**
 * The window between two times in milliseconds since the epoch; without a first time, everything is
 * due.
 */
export const hoursBetween = (after: number | undefined, until: number): Hours => ({
  after: after === undefined ? Number.NEGATIVE_INFINITY : Math.floor(after / hour),
  until: Math.floor(until / hour),
});

/** Whether the object's hour lies in the window; each object has one hour in every `every`. */
export const isDue = (id: string, every: number, { after, until }: Hours): boolean =>
  until - ((((until - hashOf(id)) % every) + every) % every) > after;

/** What a resync of one controller found. */
export interface Resync {
  requests: WorkRequest[];
  /** Objects that could not be read. */
  unreadable: Unreadable[];
}

/**
 * Without a window, all objects. An unreadable object is requested each time: its pass fails, and a later one
 * succeeds once the object is restored.
 */
export const resyncRequests = async (
  { kinds, store }: { kinds: Kinds; store: Pick<Store, 'list'> },
  controller: string,
  wires: Pick<ControllerWiring, 'for' | 'swept'>,
  hours: Hours | undefined,
): Promise<Resync> => {
  const kind = kinds.named(wires.for);
  const type = resourceOf(kind);
  const unreadable: Unreadable[] = [];
  const { objects } = await store.list(type, { skip: (one) => unreadable.push(one) });
  const isAsked = (object: KubeObject) => {
    const every = hoursOf(object, kind, wires.swept ?? false);
    return !hours || isDue(`${object.metadata.namespace}/${object.metadata.name}`, every, hours);
  };
  const request = ({ namespace = '', name }: { namespace?: string; name: string }): WorkRequest => ({
    key: { controller, type, namespace, name },
    urgent: true,
  });
  const readable = objects.filter(isAsked).map(({ metadata }) => request(metadata));
  return { requests: [...readable, ...unreadable.map(request)], unreadable };
};
