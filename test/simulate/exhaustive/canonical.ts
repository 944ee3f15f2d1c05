/**
 * The state of a world without what differs between equivalent runs: generated names, ids,
 * addresses and times.
 */

import type { Secret } from '../../../kinds/kubernetes/secret/index.ts';
import { isObject, type KubeObject } from '../../../machinery/api/object.ts';
import { keyOfMessage } from '../../../machinery/controller/index.ts';
import { itemKeyOf, times, workItemOf } from '../../../machinery/controller/work-item.ts';
import type { World } from '../site.ts';
import type { StaleResources } from '../stale-resources.ts';

/** Fields with ids, times and notes about intended actions. The next write removes such a note. */
const untold = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastTransitionTime',
  'managedFields',
  'capstan.dev/pending',
  'capstan.dev/awaiting',
]);
/** Kinds that record history. */
const history = new Set(['Event', 'ClusterOperation', 'Lease', 'WorkloadSnapshot', 'Installation']);
/** A run that a fault delays takes more snapshots by schedule, or a last one of another size. */
const timely = ['Schedule', 'Deletion'];
const isHistory = ({ kind, spec }: KubeObject): boolean =>
  history.has(kind) ||
  (kind === 'EtcdSnapshot' && timely.includes((spec as { reason?: string } | undefined)?.reason ?? ''));

const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  // A snapshot tells when it was taken by its file's name and by what etcd had then.
  [/\b\d{8}T\d{6}Z/g, '<time>'],
  // The name of a schedule's snapshot.
  [/-\d{8}-\d{4}\b/g, '-<time>'],
  [/"keys":\d+/g, '"keys":<keys>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b(i|eni|sg|sgr|vol|subnet|vpc|igw|nat|rtb|eipalloc|eipassoc|rtbassoc|igw)-[0-9a-f]{8,17}\b/g, '$1-*'],
  [/\b(\d{1,3}\.){3}\d{1,3}\b/g, '<ip>'],
  [/ip-\d+-\d+-\d+-\d+/g, 'ip-*'],
  [/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g, '<pem>'],
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, '<token>'],
  [/\b[0-9a-f]{16,}\b/g, '<hex>'],
  [/\b17\d{11}\b/g, '<time>'],
  // The prefix of a uid within a name.
  [/-(?:[0-9a-f]{6}|[0-9a-f]{8})\b/g, '-*'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-*'],
];
const plain = (text: string): string =>
  replacements.reduce((changed, [pattern, by]) => changed.replace(pattern, by), text);

/** The generated suffix of a name. */
const drawn = /^(c0-.*?)-([bcdfghjklmnpqrstvwxz2456789]{5,10}(?:-[bcdfghjklmnpqrstvwxz2456789]{5})?)$/;
const namesOf = (objects: readonly KubeObject[]): Map<string, string> =>
  new Map(
    objects.flatMap(({ metadata: { name } }) => {
      const [, stem] = drawn.exec(name) ?? [];
      return stem ? [[name, `${stem}-*`] as const] : [];
    }),
  );

const shown = (object: KubeObject): unknown =>
  object.kind === 'Secret' ? { ...object, data: Object.keys((object as Secret).data ?? {}) } : object;

/** As JSON without these fields. The order of owner references and the like does not matter. */
const jsonOf = (object: KubeObject, isLeftOut: (key: string) => boolean): string =>
  JSON.stringify(shown(object), (key, value) => {
    if (isLeftOut(key)) return undefined;
    if (key === 'finalizers') return [...(value as string[])].sort();
    const isRecord = isObject(value);
    return isRecord ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
const isUntold = (key: string) => untold.has(key);

const textOf = (object: KubeObject, names: ReadonlyMap<string, string>): string => {
  let text = jsonOf(object, isUntold);
  for (const [name, stem] of names) text = text.replaceAll(name, stem);
  return plain(text);
};

/** Kinds that record history and belong to no Cluster. */
const aside = new Set(['Event', 'Lease', 'WorkloadSnapshot', 'Installation']);
/** A generated suffix, including a number in it. */
const suffix = /-[bcdfghjklmnpqrstvwxz2456789]{5,10}\b/g;
const texts = new WeakMap<KubeObject, string>();
const roughly = (text: string) => plain(text).replace(suffix, '-*');
const roughTextOf = (object: KubeObject): string => {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = roughly(jsonOf(object, (key) => isUntold(key) || /^(started|ended)$/.test(key)));
  texts.set(object, text);
  return text;
};

const minute = 60_000;
const { hop } = times;
/** Classifies how soon something is due. */
const soonness = (ms: number): string => (ms < minute ? 'soon' : ms < hop + minute ? 'later' : 'some time');

/**
 * The state that determines how an idle world continues: two worlds with the same text end alike.
 * Of a work item it holds what is requested and due, and whether a message arrives in time.
 * Additional messages have no effect.
 */
export const standOf = (world: World): string => {
  const { mirror, account, guests, clock } = world;
  const { work, messages } = world.pending();
  const objects = mirror.everything().filter(({ kind }) => !aside.has(kind));
  const resources = account.list().map(({ type, state, tags }) => roughly(`${type} ${state} ${JSON.stringify(tags)}`));
  const machines = guests
    .guests()
    .map(({ step, kubelet, haltedAt }) => `${step} ${kubelet?.version} ${haltedAt !== undefined}`);
  const clusters = guests.clusters.all().map(({ record }) => `${record.etcd.members.map((one) => one.isLearner)}`);
  const now = clock.now();
  const next = new Map<string, number>();
  for (const { body, at } of [...messages.values()].flat()) {
    const { pk, sk } = itemKeyOf(keyOfMessage(body));
    next.set(`${pk} ${sk}`, Math.min(at, next.get(`${pk} ${sk}`) ?? at));
  }
  const items = work.map((item) => {
    const {
      want,
      done,
      urgent,
      served,
      attempts,
      lastFailure,
      due = Number.POSITIVE_INFINITY,
      lease,
    } = workItemOf(item)!;
    const at = want > done && attempts === 0 ? now : due;
    const isAwaited = at !== Number.POSITIVE_INFINITY;
    const isTimed = (next.get(`${item.pk} ${item.sk}`) ?? Number.POSITIVE_INFINITY) < Math.min(at, now + hop) + minute;
    const open = [want > done, urgent > served, attempts > 0, lastFailure?.code, lease !== undefined];
    return roughly(`${item.pk} ${item.sk} ${open} ${isAwaited ? `${soonness(at - now)} ${isTimed}` : ''}`);
  });
  return [...objects.map(roughTextOf), ...resources, ...machines, ...clusters, ...items].sort().join('\n');
};

/** One sorted line for each object, resource and cluster, without resources that may stay and are reported. */
export const canonical = async (
  { mirror, account, guests }: World,
  staleResources: StaleResources,
): Promise<string[]> => {
  const objects = mirror.everything();
  // The longest first, because one name may be the prefix of another.
  const names = new Map([...namesOf(objects)].sort(([a], [b]) => b.length - a.length));
  const named = (text: string) => {
    let changed = text;
    for (const [name, stem] of names) changed = changed.replaceAll(name, stem);
    return plain(changed);
  };
  const resources = account
    .list()
    .filter((one) => one.state !== 'terminated' && one.state !== 'deleted' && !staleResources.has(one))
    .map(({ type, state, tags }) => named(`${type} ${state} ${JSON.stringify(Object.entries(tags).sort())}`));
  const clusters = await Promise.all(
    guests.clusters.all().map(async ({ record, list }) => {
      // Counts Nodes without their names, which contain generated addresses.
      const nodes = (await list('nodes')).map(({ metadata }) =>
        named(JSON.stringify(Object.entries(metadata.labels ?? {}).sort())),
      );
      return `cluster with ${record.etcd.members.length} members and nodes ${nodes.sort().join(' ')}`;
    }),
  );
  const texts = objects.filter((object) => !isHistory(object)).map((object) => textOf(object, names));
  return [...texts, ...resources, ...clusters].sort();
};

const around = 60;
/** The part in which a line differs from the most similar one. */
const shortened = (line: string, others: readonly string[]): string => {
  let common = 0;
  for (const other of others) {
    let at = 0;
    while (at < line.length && line[at] === other[at]) at++;
    common = Math.max(common, at);
  }
  return `${line.slice(0, 120)}… ${line.slice(Math.max(0, common - around), common + 3 * around)}`;
};

/**
 * Lines that only one of the two has: minus for the undisturbed run, plus for the disturbed one.
 */
export const differences = (undisturbed: readonly string[], disturbed: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const line of undisturbed) counts.set(line, (counts.get(line) ?? 0) - 1);
  for (const line of disturbed) counts.set(line, (counts.get(line) ?? 0) + 1);
  const only = (isMine: (count: number) => boolean) =>
    [...counts].filter(([, count]) => isMine(count)).map(([line]) => line);
  const [missing, added] = [only((count) => count < 0), only((count) => count > 0)];
  return [
    ...missing.map((line) => `- ${shortened(line, added)}`),
    ...added.map((line) => `+ ${shortened(line, missing)}`),
  ].sort();
};
