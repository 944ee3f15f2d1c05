/**
 * Serves CustomResourceDefinitions: those of users are stored, those of the program's own kinds are
 * published beside them. A client that applies one of the latter, such as Cluster API's own, changes
 * nothing and is warned of that.
 */
import { ApiError, badRequest, forbidden } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { cleanupFinalizer, type Definition } from '../custom/definition.ts';
import { definitionKind } from '../custom/kind.ts';
import { statusOf, withCondition, withDefaultNames } from '../custom/names.ts';
import type { Clock } from '../ports.ts';
import type { Listing, ListOptions, Store } from '../store/store.ts';
import { ownDefinitions } from './crds.ts';
import { type Published, publishedObjects } from './published.ts';
import type { Extension, KindRegistry, ResourceStore } from './registry.ts';

/** Below every position of a store, which begin at the time of their first use. */
const mostPublished = 1_000_000_000;
/** Continue tokens of pages that end among the published objects. */
const tokenPrefix = 'published:';

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.reason === 'AlreadyExists';

/** The published objects, then those of the store. */
const listBoth = async (
  { shown }: Published,
  listStored: (options: ListOptions) => Promise<Listing>,
  options: ListOptions,
): Promise<Listing> => {
  const { selects = () => true, limit = 0, continue: token } = options;
  if (token !== undefined && !token.startsWith(tokenPrefix)) return listStored(options);
  const { continue: _, limit: __, ...rest } = options;
  const from = token === undefined ? 0 : Number(token.slice(tokenPrefix.length));
  if (!Number.isInteger(from)) throw badRequest('invalid continue token: continue key is not valid');
  const own = shown.filter(selects);
  const page = limit > 0 ? own.slice(from, from + limit) : own.slice(from);
  const room = limit - page.length;
  const ownLeft = own.length - from - page.length;
  const counted = ({ objects, continue: next, remaining }: Listing) =>
    options.counts && (next === undefined || remaining !== undefined)
      ? { remaining: ownLeft + objects.length + (remaining ?? 0) }
      : {};
  if (limit > 0 && room === 0 && ownLeft > 0) {
    const stored = await listStored({ ...rest, limit: 1 });
    const next = `${tokenPrefix}${from + page.length}`;
    return { objects: page, position: stored.position, continue: next, ...counted(stored) };
  }
  const stored = await listStored({ ...rest, ...(limit > 0 && { limit: Math.max(1, room) }) });
  // A page is full: the stored objects begin on the next one.
  if (limit > 0 && room === 0 && (stored.objects.length > 0 || stored.continue !== undefined))
    return {
      objects: page,
      position: stored.position,
      continue: `${tokenPrefix}${from + page.length}`,
      ...counted(stored),
    };
  return { ...stored, objects: [...page, ...stored.objects] };
};

const storeBeside = (
  store: Store,
  published: () => Promise<Published>,
  named: (name: string) => Promise<Definition | undefined>,
): ResourceStore => ({
  get: async (type, key) => (await named(key.name)) ?? store.get(type, key),
  list: async (type, options = {}) => listBoth(await published(), (more) => store.list(type, more), options),
  commit: async (type, key, decide, options) => {
    const own = await named(key.name);
    if (!own) return store.commit(type, key, decide, options);
    try {
      await decide(own);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    return own;
  },
  watch: (type, position, signal) => store.watch(type, position, signal),
  position: (type) => store.position(type),
});

const inDeletion = (object: KubeObject, now: number): KubeObject => {
  const { metadata, status } = object as Definition;
  const finalizers = metadata.finalizers ?? [];
  return {
    ...object,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: {
      ...status,
      conditions: withCondition(
        status?.conditions,
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        },
        now,
      ),
    },
  };
};

export interface DefinitionOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** When the program's own kinds were made, in milliseconds since the epoch. */
  created: number;
}

export const definitionExtension = (
  registry: KindRegistry,
  { store, clock, created }: DefinitionOptions,
): Extension => {
  const published = publishedObjects(
    () => ownDefinitions(registry, created),
    created,
    (position) => 1 + (position % mostPublished),
  );
  const named = async (name: string): Promise<Definition | undefined> =>
    (await published()).shown.find(({ metadata }) => metadata.name === name) as Definition | undefined;

  const withStatus = async (definition: Definition): Promise<Definition> => {
    const { custom } = registry;
    await custom.readSince(clock.now());
    const { name } = definition.metadata;
    const others = [...custom.definitions(), ...((await published()).shown as Definition[])];
    const group = others.filter(
      ({ metadata, spec }) => metadata.name !== name && spec?.group === definition.spec?.group,
    );
    return { ...definition, status: statusOf(definition, [...group, definition], clock.now()) };
  };

  return {
    store: storeBeside(store, published, named),
    admit: async (object, { subresource }) => {
      const own = await named(object.metadata.name);
      if (own) return own;
      const definition = withDefaultNames(object as Definition);
      // Validation reports what is missing.
      const isWhole = definition.spec?.names?.plural && Array.isArray(definition.spec.versions);
      return subresource === 'status' || !isWhole ? definition : withStatus(definition);
    },
    admitDelete: async ({ resource }, { metadata: { name } }) => {
      if (await named(name)) throw forbidden(resource.kind, name, 'its kind is part of this server');
    },
    warn: async ({ metadata: { name } }) =>
      (await named(name)) ? [`${name} is part of this server: the definition has no effect`] : [],
    marked: inDeletion,
    changed: () => registry.custom.outdate(),
  };
};

export const serveDefinitions = (registry: KindRegistry, options: DefinitionOptions): void =>
  registry.add(definitionKind, definitionExtension(registry, options));
