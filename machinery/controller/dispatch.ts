/**
 * Maps a changed object to work requests. Never reads the changed object: the log entry's
 * attributes suffice.
 */
import { groupOf, type Kind, resourceOf } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Level, Route, Watch, Wiring } from '../api/wiring.ts';
import { isolatedOrThrow, requestLimit } from '../isolated.ts';
import type { LogEntry, Store } from '../store/store.ts';
import type { Kinds } from './kinds.ts';
import type { Work } from './work.ts';
import type { WorkKey } from './work-item.ts';

export interface WorkRequest {
  key: WorkKey;
  /** The reason is not this controller's own write. */
  urgent: boolean;
  /** Seconds to defer. */
  after?: number;
}
/** Additional work requests of a change, besides the wiring's. */
export type Extra = (entry: LogEntry) => WorkRequest[] | Promise<WorkRequest[]>;

export interface DispatchOptions {
  wiring: Wiring;
  kinds: Kinds;
  store: Pick<Store, 'list' | 'memberKeys' | 'ownedKeys' | 'referrerKeys'>;
  extra?: Extra[];
}

/** Seconds of debounce, so that one pass serves further changes too. */
export const delays: Readonly<Record<Level, number>> = { gate: 0, count: 2, note: 20 };

type Name = { namespace: string; name: string };
type Wanted = Name & { after: number };
const nameOf = ({ metadata }: KubeObject): Name => ({ namespace: metadata.namespace ?? '', name: metadata.name });

const levels: readonly Level[] = ['gate', 'count', 'note'];

/** An entry of an unknown format, as a newer release may write it, counts as any change. */
const isUnderstood = ({ event, level, owners, ownersBefore }: LogEntry): boolean =>
  ['ADDED', 'MODIFIED', 'DELETED'].includes(event) &&
  (level === undefined || levels.includes(level)) &&
  Array.isArray(owners) &&
  Array.isArray(ownersBefore);

/** Whether a watch of this level counts the change. */
const counts = (least: Level | undefined, { level }: LogEntry): boolean =>
  level === undefined || (least !== undefined && levels.indexOf(level) <= levels.indexOf(least));

/** Each name once, with the shortest delay. */
const soonest = (wanted: Wanted[]): Wanted[] => {
  const byName = new Map<string, Wanted>();
  for (const one of wanted) {
    const id = `${one.namespace}/${one.name}`;
    const known = byName.get(id);
    if (!known || one.after < known.after) byName.set(id, one);
  }
  return [...byName.values()];
};

/** Seconds to defer the passes of a change. `isCounted`: to its route it is one of many. */
const delayOf = ({ level }: LogEntry, isCounted: boolean): number => {
  if (level === undefined) return isCounted ? delays.count : delays.gate;
  return isCounted ? delays.note : delays[level];
};

/** By the controller itself, which requeues the object at once when it needs to. */
const isEcho = (target: { name: string }, { writer }: LogEntry): boolean => writer === target.name;

export const createRouter = ({ wiring, kinds, store, extra = [] }: DispatchOptions) => {
  const watchedBy = ({ kind, role }: Watch): readonly Kind[] => [
    ...(kind === undefined ? [] : [kinds.named(kind)]),
    ...(role === undefined ? [] : kinds.ofRole(role)),
  ];
  const controllersOf = () =>
    Object.entries(wiring).map(([name, wires]) => ({
      name,
      type: kinds.typeOf(wires.for),
      kind: kinds.named(wires.for),
      level: wires.level ?? 'note',
      sweepAfter: wires.sweepAfter,
      watches: wires.watches.flatMap((watch) => watchedBy(watch).map((kind) => ({ ...watch, type: resourceOf(kind) }))),
    }));
  type Target = ReturnType<typeof controllersOf>[number];
  type Concern = Target & { isOwn: boolean };

  /** The controllers that changes of a type may concern, with their watches. */
  const concernsOf = (controllers: readonly Target[], type: string): Concern[] =>
    controllers
      .map((target) => ({
        ...target,
        isOwn: target.type === type,
        watches: target.watches.filter((watch) => watch.type === type),
      }))
      .filter(({ isOwn, watches }) => isOwn || watches.length > 0);
  const concernsNow = () => {
    const controllers = controllersOf();
    const types = controllers.flatMap(({ type, watches }) => [type, ...watches.map((watch) => watch.type)]);
    return new Map([...new Set(types)].map((type) => [type, concernsOf(controllers, type)]));
  };
  let known = kinds.all();
  let concerns = concernsNow();
  /** A kind of users may have, or get, a role that a controller watches. */
  const concerned = async (type: string): Promise<Concern[]> => {
    if (!kinds.isOwn(type)) await kinds.refresh();
    if (known !== kinds.all()) {
      known = kinds.all();
      concerns = concernsNow();
    }
    return concerns.get(type) ?? [];
  };

  const listAll = async (type: string, namespace: string): Promise<Name[]> => {
    const names: Name[] = [];
    const { objects } = await store.list(type, { ...(namespace && { namespace }), skip: (one) => names.push(one) });
    return [...objects.map(nameOf), ...names];
  };

  const clustersOf = (entry: LogEntry): string[] => {
    if (kinds.ofType(entry.type)?.scope) return [entry.name];
    return [...new Set([entry.cluster, entry.clusterBefore])].filter((name) => name !== undefined);
  };

  const ownersIn = ({ kind }: Target, entry: LogEntry): Name[] =>
    [...entry.owners, ...entry.ownersBefore]
      .filter((owner) => owner.kind === kind.kind && groupOf(owner.apiVersion) === kind.group)
      .map(({ name }) => ({ namespace: kind.namespaced ? entry.namespace : '', name }));

  const follow = async (route: Route, target: Target, entry: LogEntry): Promise<Name[]> => {
    const { kind, type } = target;
    switch (route) {
      case 'owner':
        return ownersIn(target, entry);
      case 'dependents':
        return store.ownedKeys(entry.uid, type);
      case 'cluster':
        if (entry.about) return [];
        return clustersOf(entry).map((name) => ({ namespace: entry.namespace, name }));
      case 'adopters':
        return entry.owners.some(({ controller }) => controller) ? [] : follow('members', target, entry);
      case 'members': {
        const owners = ownersIn(target, entry);
        if (owners.length > 0) return owners;
        const clusters = clustersOf(entry);
        if (kind.scope) return clusters.map((name) => ({ namespace: entry.namespace, name }));
        const members = clusters.map((cluster) => store.memberKeys(type, entry.namespace, cluster, entry.about));
        return (await Promise.all(members)).flat();
      }
      case 'referrers': {
        const changed = kinds.ofType(entry.type);
        if (!changed) return [];
        return store.referrerKeys(type, entry.namespace, { ...changed, name: entry.name });
      }
      case 'servers':
        return (entry.servedBy ?? [])
          .filter((server) => server.kind === kind.kind && server.group === kind.group)
          .map(({ name, namespace = entry.namespace }) => ({ namespace, name }));
      case 'namespace':
        return listAll(type, entry.namespace);
      case 'all':
        return listAll(type, '');
      default:
        throw new Error(`unknown route ${route satisfies never}`);
    }
  };

  const now = (names: Name[], after = 0): Wanted[] => names.map((name) => ({ ...name, after }));

  /**
   * Whether to these objects the changed one is one of many, which has a controller of its own that
   * acts first. What the Cluster itself controls exists once in a cluster.
   */
  const isCounted = (route: Route, { kind }: Target, { owners }: LogEntry): boolean => {
    const controller = owners.find((owner) => owner.controller);
    if ((route !== 'cluster' && route !== 'members') || !controller || controller.kind === kind.kind) return false;
    return kinds.find(groupOf(controller.apiVersion), controller.kind)?.scope === undefined;
  };

  const namesFor = async (target: Concern, entry: LogEntry): Promise<Wanted[]> => {
    if (!isUnderstood(entry)) return now(await listAll(target.type, ''));
    const echoes = isEcho(target, entry);
    const routes = new Set(target.watches.filter(({ level }) => counts(level, entry)).map(({ to }) => to));
    const wanted = [...routes].map(async (to) => {
      const after = target.sweepAfter ?? delayOf(entry, echoes || isCounted(to, target, entry));
      return now(await follow(to, target, entry), after);
    });
    // The controller that deleted the object, or whose decision is settled, needs no pass for its
    // own write.
    const isKnown = echoes && (entry.settled || entry.event === 'DELETED');
    const isNews = target.isOwn && counts(target.level, entry) && !isKnown;
    const own = isNews ? [{ namespace: entry.namespace, name: entry.name }] : [];
    const isOwnWrite = echoes && entry.event === 'MODIFIED';
    return soonest([...now(own, isOwnWrite ? delays.count : 0), ...(await Promise.all(wanted)).flat()]);
  };

  /** Every (controller, object) that must reconcile because of this change. */
  return async (entry: LogEntry): Promise<WorkRequest[]> => {
    const wanted = await Promise.all(
      (await concerned(entry.type)).map(async (target) =>
        (await namesFor(target, entry)).map(
          ({ namespace, name, after }): WorkRequest => ({
            key: { controller: target.name, type: target.type, namespace, name },
            urgent: entry.writer !== target.name,
            ...(after > 0 && { after }),
          }),
        ),
      ),
    );
    const more = await Promise.all(extra.map((make) => make(entry)));
    return [...wanted.flat(), ...more.flat()];
  };
};

export interface Dispatcher {
  /**
   * Returns when every item is marked and its message sent; an error means that the entry must be
   * redelivered.
   */
  dispatch(entry: LogEntry): Promise<void>;
}

export const createDispatcher = (options: DispatchOptions & { work: Pick<Work, 'request'> }): Dispatcher => {
  const route = createRouter(options);
  return {
    dispatch: async (entry) =>
      isolatedOrThrow(await route(entry), ({ key, ...reason }) => options.work.request(key, reason), {
        most: requestLimit,
      }),
  };
};
