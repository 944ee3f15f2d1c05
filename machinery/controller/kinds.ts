import { type Kind, resourceOf, type Scope } from '../api/kind.ts';

/**
 * The registered kinds by name and by type in the store; of kinds that share their storage, the one
 * that stores.
 */
export interface Kinds {
  all(): readonly Kind[];
  has(kind: string): boolean;
  /** Throws for an unknown kind. */
  named(kind: string): Kind;
  ofType(type: string): Kind | undefined;
  /** The kind of an owner reference, in any version. */
  find(group: string, kind: string): Kind | undefined;
  typeOf(kind: string): string;
  /** Kinds with a role. */
  ofRole(role: string): readonly Kind[];
  /** Whether the program itself has this type, so that no user defines it. */
  isOwn(type: string): boolean;
  /** Reads what users define now: the other methods show kinds as they were last read. */
  refresh(): Promise<void>;
  /** The kind whose objects pause, hold back and release their members. */
  scope(): (Kind & { scope: () => Promise<Scope> }) | undefined;
}

interface Index {
  given: readonly Kind[];
  all: readonly Kind[];
  byName: Map<string, Kind>;
  byType: Map<string, Kind>;
  types: Map<string, string>;
}
/** Of several with the same key, the first. */
const firstBy = (kinds: readonly Kind[], keyOf: (kind: Kind) => string): Map<string, Kind> => {
  const first = new Map<string, Kind>();
  for (const kind of kinds) if (!first.has(keyOf(kind))) first.set(keyOf(kind), kind);
  return first;
};
const indexOf = (given: readonly Kind[]): Index => {
  const all = given.filter(({ storedAs }) => storedAs === undefined);
  const byName = firstBy(all, ({ kind }) => kind);
  const types = new Map([...byName].map(([name, kind]) => [name, resourceOf(kind)]));
  return { given: [...given], all, byName, byType: firstBy(all, resourceOf), types };
};
const isOf = (index: Index | undefined, given: readonly Kind[]): index is Index =>
  index?.given.length === given.length && index.given.every((kind, position) => kind === given[position]);

/** Accepts a function, because users add and remove kinds. Its array must not change. */
export const kindsOf = (
  source: readonly Kind[] | (() => readonly Kind[]),
  {
    refresh = async () => {},
    isOwn = (type, known) => known.has(type),
  }: { refresh?: () => Promise<void>; isOwn?: (type: string, known: ReadonlyMap<string, Kind>) => boolean } = {},
): Kinds => {
  const given = typeof source === 'function' ? source : () => source;
  let latest: Index | undefined;
  let seen: readonly Kind[] | undefined;
  const index = (): Index => {
    if (latest && typeof source !== 'function') return latest;
    const current = given();
    if (latest && current === seen) return latest;
    if (!isOf(latest, current)) latest = indexOf(current);
    seen = current;
    return latest;
  };
  const refuse = (name: string): never => {
    throw new Error(`there is no kind ${name}`);
  };
  const ofType = (type: string) => index().byType.get(type);
  return {
    all: () => index().all,
    has: (name) => index().byName.has(name),
    named: (name) => index().byName.get(name) ?? refuse(name),
    ofType,
    find: (group, name) => {
      const kind = index().given.find((known) => known.group === group && known.kind === name);
      return kind?.storedAs === undefined ? kind : ofType(kind.storedAs);
    },
    typeOf: (name) => index().types.get(name) ?? refuse(name),
    scope: () => index().all.find((kind): kind is Kind & { scope: () => Promise<Scope> } => kind.scope !== undefined),
    isOwn: (type) => isOwn(type, index().byType),
    refresh,
    ofRole: (role) => index().all.filter((kind) => kind.role === role),
  };
};

/** The kind of an owner reference, which users may have defined since the last look. */
export const findFresh = async (kinds: Kinds, group: string, kind: string): Promise<Kind | undefined> => {
  const known = kinds.find(group, kind);
  if (known) return known;
  await kinds.refresh();
  return kinds.find(group, kind);
};

export const ofTypeFresh = async (kinds: Kinds, type: string): Promise<Kind | undefined> => {
  const known = kinds.ofType(type);
  if (known) return known;
  await kinds.refresh();
  return kinds.ofType(type);
};
