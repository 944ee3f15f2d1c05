/**
 * Read-only objects that the server computes and does not store: they change only with its release.
 */
import { createHash } from 'node:crypto';
import { expired, unavailable } from '../api/errors.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Extension, ResourceStore } from './registry.ts';

/** An identity that is equal in every process, because clients compare it. */
const uidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

/**
 * A position that is equal in every process with the same objects, and differs for different ones.
 */
const positionOf = (objects: readonly KubeObject[]): number =>
  Number.parseInt(createHash('sha256').update(JSON.stringify(objects)).digest('hex').slice(0, 12), 16);

/** Published objects, with the identity and the position that they have in every process. */
export interface Published {
  shown: readonly KubeObject[];
  position: number;
}

/**
 * Reads the objects once; their names must be unique among published objects. `created` in
 * milliseconds since the epoch, equal in every process. `positionAs`: of objects beside stored ones.
 */
export const publishedObjects = (
  read: () => Promise<readonly KubeObject[]>,
  created: number,
  positionAs = (position: number) => position,
): (() => Promise<Published>) => {
  const make = async () => {
    const objects = await read();
    const position = positionAs(positionOf(objects));
    const shown = objects.map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        uid: uidOf(object.metadata.name),
        resourceVersion: String(position),
        generation: 1,
        creationTimestamp: timestamp(created),
      },
    }));
    return { shown, position };
  };
  let made: ReturnType<typeof make> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};

/** Serves published objects of one kind alone. */
export const published = (read: () => Promise<readonly KubeObject[]>, created: number): Extension => {
  const all = publishedObjects(read, created);
  const store: ResourceStore = {
    get: async (_type, key) =>
      (await all()).shown.find(
        ({ metadata }) => metadata.name === key.name && (metadata.namespace ?? '') === key.namespace,
      ),
    list: async (_type, { namespace, selects = () => true } = {}) => {
      const { shown, position } = await all();
      const isThere = ({ metadata }: KubeObject) => namespace === undefined || metadata.namespace === namespace;
      return { objects: shown.filter((object) => isThere(object) && selects(object)), position };
    },
    // Positions of other releases are not comparable, so none counts as in the future.
    position: async () => Number.MAX_SAFE_INTEGER,
    commit: async (_type, { name }) => {
      throw unavailable(`${name} cannot be changed`);
    },
    async *watch(_type, since, signal) {
      if (since !== (await all()).position) throw expired('The resourceVersion is of another release.');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  return { store };
};
