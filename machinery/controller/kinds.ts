import { type KindDefinition, resourceOf } from '../api/kind.ts';

/** The kinds there are, by name and by type in the store. */
export interface Kinds {
  named(kind: string): KindDefinition;
  ofType(type: string): KindDefinition | undefined;
  /** Of an owner reference, whatever its version. */
  find(group: string, kind: string): KindDefinition | undefined;
  typeOf(kind: string): string;
  all: KindDefinition[];
}

export const kindsOf = (all: readonly KindDefinition[]): Kinds => {
  const byName = new Map(all.map((kind) => [kind.kind, kind]));
  const byType = new Map(all.map((kind) => [resourceOf(kind), kind]));
  const named = (name: string): KindDefinition => {
    const kind = byName.get(name);
    if (!kind) throw new Error(`there is no kind ${name}`);
    return kind;
  };
  return {
    named,
    ofType: (type) => byType.get(type),
    find: (group, kind) => all.find((known) => known.group === group && known.kind === kind),
    typeOf: (name) => resourceOf(named(name)),
    all: [...all],
  };
};
