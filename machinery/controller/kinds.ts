import { type Kind, resourceOf } from '../api/kind.ts';

/** The kinds there are, by name and by type in the store; of kinds that share their storage the one that stores. */
export interface Kinds {
  all(): readonly Kind[];
  /** Throws for a kind that is not there. */
  named(kind: string): Kind;
  ofType(type: string): Kind | undefined;
  /** Of an owner reference, whatever its version. */
  find(group: string, kind: string): Kind | undefined;
  typeOf(kind: string): string;
}

/** A function, where kinds come and go. */
export const kindsOf = (source: readonly Kind[] | (() => readonly Kind[])): Kinds => {
  const given = typeof source === 'function' ? source : () => source;
  const all = () => given().filter(({ storedAs }) => storedAs === undefined);
  const ofType = (type: string) => all().find((kind) => resourceOf(kind) === type);
  const named = (name: string): Kind => {
    const kind = all().find((known) => known.kind === name);
    if (!kind) throw new Error(`there is no kind ${name}`);
    return kind;
  };
  return {
    all,
    named,
    ofType,
    find: (group, name) => {
      const kind = given().find((known) => known.group === group && known.kind === name);
      return kind?.storedAs === undefined ? kind : ofType(kind.storedAs);
    },
    typeOf: (name) => resourceOf(named(name)),
  };
};
