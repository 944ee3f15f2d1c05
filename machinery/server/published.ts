/** Objects that a server shows and keeps nowhere: they change only with the process. */
import { createHash } from 'node:crypto';
import { unavailable } from '../api/errors.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Extension, ResourceStore } from './registry.ts';

/** An identity that is the same in every process: clients compare it. */
const uidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

/** Serves these objects of one kind, whose names are of no other published object. `created` in milliseconds since the epoch. */
export const published = (read: () => Promise<KubeObject[]>, created: number): Extension => {
  const shown = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      uid: uidOf(object.metadata.name),
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: timestamp(created),
    },
  });
  const all = async () => (await read()).map(shown);
  const store: ResourceStore = {
    get: async (_type, key) =>
      (await all()).find(({ metadata }) => metadata.name === key.name && (metadata.namespace ?? '') === key.namespace),
    list: async (_type, { namespace } = {}) => ({
      objects: (await all()).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
      position: 1,
    }),
    position: async () => 1,
    commit: async (_type, { name }) => {
      throw unavailable(`${name} cannot be changed`);
    },
    async *watch(_type, _position, signal) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  return { store };
};
