/**
 * The kinds that users define, as this process last read them. They are read again only when the log
 * of their definitions has moved, which one read of its position tells.
 */
import type { KindDefinition } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock, Log } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { type ConverterOf, type Definition, definitionType, isServed, kindOfDefinition } from './definition.ts';

/** Milliseconds for which a process serves what it knows without a look at the log. */
export const known = 1000;

/** A served kind, with the definition that it comes from. */
export interface CustomKind {
  definition: Definition;
  /** The same object for as long as the definition's generation, names and labels stay. */
  kind: KindDefinition;
}

export interface CustomKinds {
  /** In the order of their names. The same array while nothing changes. */
  current(): readonly CustomKind[];
  /** All definitions, served or not. */
  definitions(): readonly Definition[];
  /** Increases with every change. */
  revision(): number;
  /** The kinds are as of this time or later, in milliseconds since the epoch. */
  isReadSince(time: number): boolean;
  /** Resolves once they are. */
  readSince(time: number): Promise<void>;
  /** This process changed a definition: what it knows is out of date. */
  outdate(): void;
}

/** No kinds of users, for a server that has only its own. */
export const noCustomKinds: CustomKinds = {
  current: () => [],
  definitions: () => [],
  revision: () => 0,
  isReadSince: () => true,
  readSince: async () => {},
  outdate: () => {},
};

export const createCustomKinds = ({
  store,
  clock,
  log,
  converterOf,
  complete = (kind) => kind,
}: {
  store: Pick<Store, 'list' | 'position'>;
  clock: Pick<Clock, 'now'>;
  log?: Log;
  /** Only a process that shows objects converts them. */
  converterOf?: ConverterOf | undefined;
  /** Adds what the definition says only by its labels. */
  complete?: (kind: KindDefinition) => KindDefinition;
}): CustomKinds => {
  let definitions: readonly Definition[] = [];
  let kinds: readonly CustomKind[] = [];
  let byForm = new Map<string, KindDefinition>();
  let position: number | undefined;
  let revision = 0;
  let outdated = 0;
  let readAt = Number.NEGATIVE_INFINITY;

  const take = (objects: readonly KubeObject[]): void => {
    const before = byForm;
    byForm = new Map();
    definitions = [...(objects as Definition[])].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    kinds = definitions.filter(isServed).flatMap((definition): CustomKind[] => {
      const { uid, generation, labels } = definition.metadata;
      const form = JSON.stringify([uid, generation, definition.status?.acceptedNames, labels]);
      try {
        const kind = before.get(form) ?? complete(kindOfDefinition(definition, converterOf));
        byForm.set(form, kind);
        return [{ definition, kind }];
      } catch (error) {
        log?.error('A definition cannot be served', { CustomResourceDefinition: definition.metadata.name, error });
        return [];
      }
    });
    revision++;
  };

  const read = async (): Promise<void> => {
    const began = clock.now();
    const before = outdated;
    if ((await store.position(definitionType)) !== position) {
      const unreadable: string[] = [];
      const listing = await store.list(definitionType, { skip: ({ name }) => unreadable.push(name) });
      if (unreadable.length > 0) log?.error('Definitions cannot be read', { unreadable });
      take(listing.objects);
      position = listing.position;
    }
    if (before === outdated) readAt = began;
  };

  let reading: Promise<void> | undefined;
  const readOnce = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  const isReadSince = (time: number): boolean => readAt >= time;
  return {
    current: () => kinds,
    definitions: () => definitions,
    revision: () => revision,
    isReadSince,
    readSince: async (time) => {
      // A read under way may have begun too early; the next one has not.
      if (!isReadSince(time) && reading) await reading.catch(() => {});
      while (!isReadSince(time)) await readOnce();
    },
    outdate: () => {
      readAt = Number.NEGATIVE_INFINITY;
      outdated++;
    },
  };
};
