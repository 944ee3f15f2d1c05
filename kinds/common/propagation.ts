/**
 * Propagates labels and annotations from a template to the objects created from it. The receiving
 * object notes which keys it received, so that keys removed from the template are removed there and
 * other keys stay. It needs no note where it contains the same keys elsewhere.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { MergePatch } from '../../machinery/api/reconcile.ts';

const received = 'capstan.dev/from-template';

export interface Flowing {
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** The keys that an object received by what it contains elsewhere, such as in its own template. */
export interface Implied {
  labels: readonly string[];
  annotations: readonly string[];
}

const noteOf = ({ labels, annotations }: Flowing): string => {
  const parts = [Object.keys(labels), Object.keys(annotations)].map((keys) => keys.sort().join(','));
  return parts.join(';');
};
const notedOn = (object: KubeObject): { labels: string[]; annotations: string[] } => {
  const [labels = '', annotations = ''] = (object.metadata.annotations?.[received] ?? '').split(';');
  return { labels: labels.split(',').filter(Boolean), annotations: annotations.split(',').filter(Boolean) };
};

/**
 * The metadata that an object received from its owner, to propagate to the objects that it owns.
 * Undefined when it received none, and when it has lost some: the loss must not propagate.
 */
export const flowOn = (object: KubeObject): Flowing | undefined => {
  const { labels = {}, annotations = {} } = object.metadata;
  if (annotations[received] === undefined) return undefined;
  const noted = notedOn(object);
  const isWhole = noted.labels.every((key) => key in labels) && noted.annotations.every((key) => key in annotations);
  const pick = (from: Record<string, string>, keys: string[]) =>
    Object.fromEntries(keys.map((key) => [key, from[key] ?? '']));
  return isWhole
    ? { labels: pick(labels, noted.labels), annotations: pick(annotations, noted.annotations) }
    : undefined;
};

const hasKeys = (of: Record<string, string>, keys: readonly string[]): boolean =>
  isDeepStrictEqual(Object.keys(of).sort(), [...keys].sort());
const isImplied = (from: Flowing, implied: Implied | undefined): boolean =>
  implied !== undefined && hasKeys(from.labels, implied.labels) && hasKeys(from.annotations, implied.annotations);

/** The metadata of a new object, with the note of its keys unless they are `implied`. */
export const flowing = (from: Flowing, implied?: Implied): Flowing => ({
  labels: from.labels,
  annotations: { ...from.annotations, ...(!isImplied(from, implied) && { [received]: noteOf(from) }) },
});

const changes = (
  current: Record<string, string> | undefined,
  wanted: Record<string, string>,
  before: readonly string[],
): Record<string, string | null> | undefined => {
  const set = Object.entries(wanted).filter(([key, value]) => current?.[key] !== value);
  const dropped = before.filter((key) => !(key in wanted) && current?.[key] !== undefined);
  if (set.length + dropped.length === 0) return undefined;
  return { ...Object.fromEntries(set), ...Object.fromEntries(dropped.map((key) => [key, null])) };
};

/**
 * The patch that updates an object; undefined if it is up to date. `implied`: by what the object
 * contains `before` and `after` its update.
 */
export const flowInto = (
  object: KubeObject,
  from: Flowing,
  implied?: { before: Implied; after: Implied },
): MergePatch['metadata'] | undefined => {
  const isNoted = object.metadata.annotations?.[received] !== undefined;
  const before = isNoted || !implied ? notedOn(object) : implied.before;
  const labels = changes(object.metadata.labels, from.labels, before.labels);
  const wanted = flowing(from, implied?.after).annotations;
  const annotations = changes(object.metadata.annotations, wanted, [...before.annotations, received]);
  if (!labels && !annotations) return undefined;
  return { ...(labels && { labels }), ...(annotations && { annotations }) };
};
