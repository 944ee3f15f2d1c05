/** The port of scaling decisions over a storage. */
import { gzipSync } from 'node:zlib';
import type { DecisionEffects } from '../../kinds/ports/decisions.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const createDecisions = (storage: Pick<ObjectStorage, 'put' | 'delete'>) => ({
  keep: async ({ location, record }: DecisionEffects['Keep']): Promise<void> => {
    const bytes = gzipSync(JSON.stringify(record));
    await storage.delete(location);
    await storage.put(location, once(bytes));
  },
  delete: async ({ locations }: DecisionEffects['Delete']): Promise<void> => {
    for (const location of locations) await storage.delete(location);
  },
});

export const decisionsPort = (storage: Pick<ObjectStorage, 'put' | 'delete'>): Required<Port> => {
  const decisions = createDecisions(storage);
  return {
    read: async (operation) => {
      throw new Error(`decisions cannot be asked for ${operation}`);
    },
    call: async (operation, input) => {
      switch (operation as keyof DecisionEffects) {
        case 'Keep':
          return decisions.keep(input as DecisionEffects['Keep']);
        case 'Delete':
          return decisions.delete(input as DecisionEffects['Delete']);
        default:
          throw new Error(`decisions cannot be asked to ${operation}`);
      }
    },
  };
};
