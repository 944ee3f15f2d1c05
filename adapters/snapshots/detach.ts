/**
 * Finds the objects of a snapshot that a cluster with other hosts must not act on. A copy renames
 * their keys, of the same length, so that the API server does not see them and etcd still has them.
 */

import { type CopyReport, type Exclusion, nameBelow } from '../../kinds/ports/snapshots.ts';
import { type Pages, readDatabase } from '../../machinery/bolt.ts';
import { keyValueOf } from '../../machinery/mvcc.ts';

/** Where the API server keeps its objects. */
const served = '/registry/';
/** Where a copy keeps what it takes from the API server. */
export const detachedPrefix = Buffer.from('/detached/');

const mostNames = 20;
const encrypted = Buffer.from('k8s:enc:');
const kubeadmConfig = 'configmaps/kube-system/kubeadm-config';

/** A revision that ends with t deletes its key. */
const isDeletion = (revision: Buffer): boolean => revision.length === 18 && revision[17] === 0x74;

const isEncrypted = (value: Buffer): boolean => value.subarray(0, encrypted.length).equals(encrypted);

/** Such as `aescbc:v1:key1`. */
const encryptionOf = (value: Buffer): string =>
  value.subarray(encrypted.length, 256).toString('latin1').split(':').slice(0, 3).join(':');

const settingIn = (text: string, name: string): string | undefined =>
  new RegExp(`\\b${name}: *"?([^\\s"\\\\]+)`).exec(text)?.[1];

const networkOf = (config: string): Pick<CopyReport, 'serviceSubnet' | 'podSubnet' | 'dnsDomain'> =>
  Object.fromEntries(
    ['serviceSubnet', 'podSubnet', 'dnsDomain'].flatMap((name) => {
      const value = settingIn(config, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

interface Rule extends Omit<Exclusion, 'keys'> {
  /** In parts. */
  paths: string[][];
  bytes: Buffer[] | undefined;
}
const ruleOf = ({ keys, ...exclusion }: Exclusion): Rule => ({
  ...exclusion,
  paths: keys.map((path) => path.split('/')),
  bytes: exclusion.values?.map((text) => Buffer.from(text, 'latin1')),
});

/** What the rule calls the object; undefined if it is about others. */
const nameOf = ({ paths }: Rule, key: readonly string[]): string | undefined => {
  for (const path of paths) {
    const name = nameBelow(path, key);
    if (name !== undefined) return name;
  }
  return undefined;
};

/** A key that a rule may exclude, by its newest revision. */
interface Candidate {
  /** Offsets of the key in the file, of each revision. */
  at: number[];
  isLive: boolean;
  rule: Rule | undefined;
}

const matching = (rules: readonly Rule[], value: Buffer): Rule | undefined =>
  rules.find(({ bytes }) => !bytes || bytes.some((one) => value.includes(one)));

export interface Detachment {
  /** Offsets in the file of the keys to rename. */
  offsets: number[];
  report: CopyReport;
}

/** `database`: without the hash at its end. Throws if it is damaged. */
export const detach = (database: Pages, without: readonly Exclusion[]): Detachment => {
  const rules = without.map(ruleOf);
  const candidates = new Map<string, Candidate>();
  const encryption = new Map<string, string>();
  const unsearched = new Set<string>();
  let config = '';
  readDatabase(database, (bucket, revision, message, offset) => {
    if (bucket !== 'key') return;
    const entry = keyValueOf(message);
    const key = entry?.key.toString('utf8') ?? '';
    if (!entry || !key.startsWith(served)) return;
    const path = key.slice(served.length);
    const [isLive, { value }] = [!isDeletion(revision), entry];
    const [was, is] = [encryption.has(path), isLive && isEncrypted(value)];
    if (is) encryption.set(path, encryptionOf(value));
    else if (was) encryption.delete(path);
    if (path === kubeadmConfig) config = value.toString('utf8');
    const parts = path.split('/');
    const own = rules.filter((rule) => nameOf(rule, parts) !== undefined);
    if (own.length === 0) return;
    const candidate = candidates.get(path) ?? { at: [], isLive, rule: undefined };
    candidate.at.push(offset + entry.keyAt);
    candidate.isLive = isLive;
    candidate.rule = isLive ? matching(own, value) : own.find(({ bytes }) => !bytes);
    if (is && !candidate.rule) for (const rule of own) if (!rule.mayStay) unsearched.add(rule.what);
    candidates.set(path, candidate);
  });
  const detached = [...candidates].filter(([, { rule }]) => rule !== undefined);
  return {
    offsets: detached.flatMap(([, { at }]) => at).sort((a, b) => a - b),
    report: {
      detached: rules.flatMap((rule) => {
        const live = detached.filter(([, one]) => one.rule === rule && one.isLive);
        const names = live.map(([path]) => nameOf(rule, path.split('/'))!).sort();
        return names.length === 0 ? [] : [{ what: rule.what, count: names.length, names: names.slice(0, mostNames) }];
      }),
      unsearched: [...unsearched].sort(),
      encryption: [...new Set(encryption.values())].sort(),
      ...networkOf(config),
    },
  };
};

/** Bytes read at once. */
const stretch = 1024 * 1024;

/** The database with the keys at these offsets renamed. */
export function* renamed(database: Pages, offsets: readonly number[]): Generator<Buffer> {
  const { length } = detachedPrefix;
  let next = 0;
  for (let at = 0; at < database.size; at += stretch) {
    const part = Buffer.from(database.read(at, Math.min(stretch, database.size - at)));
    // A key may begin in the part before.
    while (next > 0 && offsets[next - 1]! + length > at) next--;
    for (; next < offsets.length && offsets[next]! < at + part.length; next++) {
      const from = offsets[next]! - at;
      detachedPrefix.copy(part, Math.max(0, from), Math.max(0, -from));
    }
    yield part;
  }
}
