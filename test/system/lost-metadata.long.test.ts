/** Restores, `kubectl replace` and users' edits remove metadata and status: controllers restore both, and change nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { rbacGroup } from '../../machinery/api/rbac.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Kind, type Moment, type World } from './world.ts';

const quickstart = 'quickstart.yaml';
let world: World;
let settled: Moment;
beforeAll(async () => {
  settled = await settledMoment(quickstart);
}, 60_000);

/** Published objects and objects without an owner: Events expire, users create Namespaces and rights. */
const watched = kinds
  .filter(
    ({ storedAs, group, kind }) =>
      storedAs === undefined && group !== rbacGroup && !['Event', 'Namespace', 'WorkloadSnapshot'].includes(kind),
  )
  .map(({ kind }) => kind as Kind);
const everything = (): KubeObject[] => watched.flatMap((kind) => world.all(kind) as KubeObject[]);
const idOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** User labels, which no controller can restore. */
const usersLabels = ['cloud-controller-manager'];

const fields = ['ownerReferences', 'apiVersions', 'finalizers', 'status', 'labels'] as const;
type Field = (typeof fields)[number];

const has = ({ metadata, status }: KubeObject, field: Field): boolean => {
  if (field === 'status') return status !== undefined;
  if (field === 'labels') return Object.keys(metadata.labels ?? {}).some((label) => !usersLabels.includes(label));
  return (metadata[field === 'apiVersions' ? 'ownerReferences' : field] ?? []).length > 0;
};
const older = ({ apiVersion, ...owner }: OwnerReference) => ({
  ...owner,
  apiVersion: apiVersion.replace(/[^/]+$/, 'v1alpha1'),
});
const without = ({ metadata }: KubeObject, field: Field): object => {
  if (field === 'status') return { status: null };
  if (field === 'apiVersions') return { metadata: { ownerReferences: metadata.ownerReferences?.map(older) } };
  const labels = Object.keys(metadata.labels ?? {}).filter((label) => !usersLabels.includes(label));
  return {
    metadata: { [field]: field === 'labels' ? Object.fromEntries(labels.map((label) => [label, null])) : null },
  };
};

const take = async (object: KubeObject, field: Field): Promise<void> => {
  const path = `${world.pathOf(object)}/${object.metadata.name}${field === 'status' ? '/status' : ''}`;
  const { code, body } = await world.request('PATCH', path, without(object, field), 'application/merge-patch+json');
  expect(code, `${idOf(object)} ${field}: ${body.message}`).toBe(200);
};

const isTime = (name: string): boolean => /time$|^last|Since$|observedGeneration/i.test(name);
const byType = (a: { type?: string }, b: { type?: string }) => ((a.type ?? '') < (b.type ?? '') ? -1 : 1);
/** Paths and values without versions and times; conditions keyed by type. */
const leaves = (value: unknown, path = ''): [string, unknown][] => {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const isTyped = Array.isArray(value) && value.every((one) => typeof one?.type === 'string');
  const entries = Object.entries(isTyped ? value.toSorted(byType) : value).filter(([name]) => !isTime(name));
  return entries.flatMap(([name, field]) => leaves(field, `${path}.${name}`));
};
/** Without the owners of fields: what a controller restores is its own from then on. */
const facts = (object: KubeObject): Map<string, unknown> => {
  const { resourceVersion: _, generation: __, managedFields: ___, annotations, ...metadata } = object.metadata;
  return new Map(
    leaves({ ...object, metadata: { ...metadata, ...(annotations && { annotations: users(annotations) }) } }),
  );
};
/** The annotations of controllers contain times. */
const users = (annotations: Record<string, string>) =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => !/^capstan\.dev\/(pending|awaiting)$/.test(name)));

/** Lost for good: the steps of an operation, and their times. */
const lostForGood = (id: string, field: Field, path: string): boolean =>
  id.startsWith('ClusterOperation') && field === 'status' && !/^.status.(phase|message|execution)/.test(path);

type Snapshot = ReturnType<typeof snapshot>;
const snapshot = () => ({
  objects: new Map(everything().map((object) => [idOf(object), facts(object)])),
  account: world
    .live()
    .map(({ type, id }) => `${type} ${id}`)
    .toSorted(),
  machines: world.calls(true).RunInstances,
});

/** The differences of objects from before, a few lines each. */
const changesOf = (before: Snapshot, after: Snapshot, field: Field): string[] =>
  [...new Set([...before.objects.keys(), ...after.objects.keys()])].flatMap((id) => {
    const [was = new Map(), is = new Map()] = [before.objects.get(id), after.objects.get(id)];
    return [...new Set([...was.keys(), ...is.keys()])]
      .filter((path) => was.get(path) !== is.get(path) && !lostForGood(id, field, path))
      .map((path) => `${id}${path}: ${was.get(path)} -> ${is.get(path)}`)
      .slice(0, 5);
  });
const expectAccount = (before: Snapshot, after: Snapshot) =>
  expect({ account: after.account, machines: after.machines }).toEqual({
    account: before.account,
    machines: before.machines,
  });

/** A user's, because the daily one is due a day later. */
const upgradeCheck = {
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'UpgradeCheck',
  metadata: { namespace: 'default', name: 'quickstart' },
  spec: { clusterName: 'quickstart' },
};

describe('in an Available cluster', () => {
  beforeAll(async () => {
    world = await createWorld({ from: settled });
    await world.apply(upgradeCheck);
    // After a start each controller resyncs all its objects once.
    await world.pass(2);
  });
  afterAll(() => world.end());

  it.each(fields)('every object gets lost %s back within a minute, and nothing else changes', async (field) => {
    const wrong: string[] = [];
    const stripped = everything().filter((object) => has(object, field));
    expect(stripped.length).toBeGreaterThan(5);
    for (const { kind, metadata } of stripped) {
      const before = snapshot();
      const object = world.find(kind as Kind, metadata.name)! as KubeObject;
      await take(object, field);
      await world.pass(1);
      const after = snapshot();
      wrong.push(...changesOf(before, after, field).map((change) => `without ${field} of ${idOf(object)}: ${change}`));
      expectAccount(before, after);
    }
    expect(wrong).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  it.each(fields)('all objects that lost %s at once get it back', async (field) => {
    const before = snapshot();
    for (const object of everything().filter((one) => has(one, field))) await take(object, field);
    await world.pass(5);
    expectAccount(before, snapshot());
    expect(changesOf(before, snapshot(), field)).toEqual([]);
  });
});

describe('a cluster whose objects all lost their owner references', () => {
  /** The objects that are not deleted with any Cluster. */
  const stays = [
    'ClusterResourceSet',
    'ConfigMap',
    'Installation',
    'AWSClusterControllerIdentity',
    'EtcdSnapshot',
    'ServiceAccount',
  ];
  const pause = async (paused: boolean) => {
    expect((await world.patch('Cluster', 'quickstart', { spec: { paused } })).code).toBe(200);
  };
  afterAll(() => world.end());

  it.each([0, 1])('leaves nothing when it is deleted %i minutes later', async (minutes) => {
    world = await createWorld({ from: settled });
    // No controller acts before all references are removed.
    await pause(true);
    for (const object of everything().filter((one) => has(one, 'ownerReferences')))
      await take(object, 'ownerReferences');
    await pause(false);
    await world.pass(minutes);
    await world.remove('Cluster', 'quickstart');
    await world.until('gone', () => world.live().length === 0 && world.all('Cluster').length === 0, 30);
    await world.pass(1);
    expect(
      everything()
        .map(idOf)
        .filter((id) => !stays.includes(id.split(' ')[0]!)),
    ).toEqual([]);
    world.end();
  });
});
