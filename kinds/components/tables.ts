/** What each minor release of the programs of a node takes, from their released sources. Pure. */
import tables from './tables.json' with { type: 'json' };

export type TableName = Exclude<keyof typeof tables, 'versions'>;

interface Span {
  /** The type of a flag, the value that a gate is locked to or `any`; empty for other names. */
  kind: string;
  first: number;
  last: number;
}

const minors = (versions: readonly string[]): number[] => versions.map((version) => Number(version.split('.')[1]));
const covered = {
  kubernetes: minors(tables.versions.kubernetes),
  etcd: minors(tables.versions.etcd),
};
/** The newest minor of Kubernetes that the tables describe. */
export const newestMinor = Math.max(...covered.kubernetes);
/** From this minor on, a name that the tables lack is unknown to the program. Of older releases they have fewer sources. */
const complete = { kubernetes: 26, etcd: 5 };

const programOf = (table: TableName): keyof typeof covered => (table.startsWith('etcd') ? 'etcd' : 'kubernetes');

/** Whether the tables describe this minor: a newer one may know anything. */
export const isCovered = (table: TableName, minor: number): boolean => covered[programOf(table)].includes(minor);

const read = new Map<TableName, Map<string, Span[]>>();
const spansOf = (table: TableName): Map<string, Span[]> => {
  const known = read.get(table);
  if (known) return known;
  const spans = new Map<string, Span[]>();
  for (const [text, names] of Object.entries<string[]>(tables[table])) {
    const [, kind = '', first, last] = /^(?:(\w+) )?(\d+)-(\d+)$/.exec(text) ?? [];
    for (const name of names)
      spans.set(name, [...(spans.get(name) ?? []), { kind, first: Number(first), last: Number(last) }]);
  }
  read.set(table, spans);
  return spans;
};

export type Entry =
  | { is: 'known'; kind: string }
  /** `until`: the last minor that knew it. `since`: the first. Neither: no release has ever known it. */
  | { is: 'unknown'; until?: number; since?: number }
  /** The tables cannot tell. */
  | { is: 'uncertain' };

/** What came after the oldest release of the tables is unknown to those before it. */
const ofOther = (table: TableName, name: string, minor: number): Entry => {
  const oldest = Math.min(...covered[programOf(table)]);
  const firsts = (spansOf(table).get(name) ?? []).map(({ first }) => first);
  const since = Math.min(...firsts);
  return minor < oldest && firsts.length > 0 && since > oldest ? { is: 'unknown', since } : { is: 'uncertain' };
};

/** What a minor release knows of a name. */
export const entryOf = (table: TableName, name: string, minor: number): Entry => {
  if (!isCovered(table, minor)) return ofOther(table, name, minor);
  const spans = spansOf(table).get(name) ?? [];
  const span = spans.find(({ first, last }) => first <= minor && minor <= last);
  if (span) return { is: 'known', kind: span.kind };
  const before = spans.filter(({ last }) => last < minor).at(-1);
  if (before) return { is: 'unknown', until: before.last };
  if (minor < complete[programOf(table)]) return { is: 'uncertain' };
  const after = spans.find(({ first }) => first > minor);
  return after ? { is: 'unknown', since: after.first } : { is: 'unknown' };
};
