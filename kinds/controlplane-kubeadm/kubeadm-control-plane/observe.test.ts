import { describe, expect, it } from 'vitest';
import { annotations } from './names.ts';
import { createWorld } from './world.fixture.ts';

/** A control plane with one Machine that has joined. */
const createJoined = async (config: Parameters<typeof createWorld>[0] = {}) => {
  const world = createWorld(config);
  const pass = () => world.pass(Number.POSITIVE_INFINITY);
  const [created] = world.all('Cluster');
  world.replace(created!, { metadata: { annotations: { 'capstan.dev/target': 'Build' } } });
  for (let i = 0; i < 8; i++) await pass();
  const [machine] = world.all('Machine');
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cluster' };
  const snapshot = { reachable: true, failures: 0, initialized: true, nodes: [], controlPlanePods: [] };
  world.add({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'c', namespace: 'default', uid: 'snapshot', ownerReferences: [owner] },
    spec: snapshot,
  });
  world.replace(machine!, { status: { nodeRef: { name: 'node-0' } } });
  await pass();
  world.asked.splice(0);
  return { ...world, pass };
};

describe('while the infrastructure is created', () => {
  it('reports that, with the same message before and after an operation has begun', async () => {
    const askedWith = async (annotations: Record<string, string>) => {
      const world = createWorld({ workflows: true });
      const [cluster] = world.all('Cluster');
      world.replace(cluster!, { metadata: { annotations }, status: { initialization: null } });
      await world.pass(Number.POSITIVE_INFINITY);
      return world.current().status?.conditions as { type: string; message?: string }[];
    };
    const before = await askedWith({});
    const message = (type: string) => before.find((one) => one.type === type)?.message;
    const waiting = 'Waiting for Cluster infrastructure to be ready';
    expect(message('Initialized')).toBe(waiting);
    expect(message('CertificatesAvailable')).toBe(waiting);
    expect(message('ScalingUp')).toBe(`Scaling up from 0 to 1 replicas is blocked because:\n* ${waiting}`);
    expect(await askedWith({ 'capstan.dev/target': 'Build' })).toEqual(before);
  });
});

describe('certificate expiry dates', () => {
  it('are read for machines without a recorded date', async () => {
    const world = await createJoined();
    await world.pass();
    expect(world.asked).toContain('servingCertificate');
    const [config] = world.all('KubeadmConfig');
    world.replace(config!, { metadata: { annotations: { [annotations.certificatesExpiry]: '2027-01-01T00:00:00Z' } } });
    world.asked.splice(0);
    await world.pass();
    expect(world.asked).not.toContain('servingCertificate');
  });

  it.each([
    { rule: 'while machines must be added', change: { spec: { replicas: 3 } } },
    { rule: 'while machines must be replaced', change: { spec: { version: 'v1.99.0' } } },
  ])('are not read $rule, because nothing would use them', async ({ change }) => {
    const world = await createJoined();
    world.replace(world.current(), change);
    await world.pass();
    expect(world.asked).not.toContain('servingCertificate');
  });
});

describe('a duplicate of a config whose Machine is gone', () => {
  /** A copy of the joined Machine's config under another name. */
  const orphanOf = async (change: object = {}) => {
    const world = await createJoined();
    const [config] = world.all('KubeadmConfig');
    const { uid: owner, ...of } = world.current().metadata;
    const metadata = {
      ...config!.metadata,
      name: 'late',
      uid: 'late',
      creationTimestamp: '2026-05-31T23:50:00Z',
      ownerReferences: [{ apiVersion: 'v1', kind: 'KubeadmControlPlane', name: of.name, uid: owner! }],
      ...change,
    };
    world.add({ ...config!, metadata });
    return world;
  };
  const names = (world: Awaited<ReturnType<typeof orphanOf>>) =>
    world.all('KubeadmConfig').map(({ metadata }) => metadata.name);

  it('is deleted', async () => {
    const world = await orphanOf();
    await world.pass();
    expect(names(world)).not.toContain('late');
    expect(names(world)).toHaveLength(1);
  });
  it.each([
    { rule: 'was created recently', change: { creationTimestamp: '2026-05-31T23:50:01Z' } },
    { rule: 'has no owner', change: { ownerReferences: [] } },
    {
      rule: 'was adopted by a Machine',
      change: { ownerReferences: [{ apiVersion: 'v1', kind: 'Machine', name: 'm', uid: 'm' }] },
    },
  ])('is kept when it $rule', async ({ change }) => {
    const world = await orphanOf(change);
    await world.pass();
    expect(names(world)).toContain('late');
  });
});

describe('a control plane that is deleted', () => {
  const deletionTimestamp = '2026-06-01T00:00:00Z';
  const conditionAfterDeletion = async (of: object) => {
    const world = await createJoined({ workflows: true });
    const annotations = { 'capstan.dev/target': 'Build', 'capstan.dev/was-available': 'true' };
    const [cluster] = world.all('Cluster');
    world.replace(cluster!, { metadata: { deletionTimestamp, annotations } });
    world.replace(world.current(), { metadata: { deletionTimestamp } });
    world.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', ...of } });
    const { status } = (await world.pass()) ?? {};
    return status?.conditions?.find(({ type }) => type === 'Deleting');
  };

  it('waits for the last snapshot of its cluster', async () =>
    expect(await conditionAfterDeletion({})).toMatchObject({ reason: 'WaitingForFinalSnapshot' }));
  it('waits for none in a namespace that is deleted, where none can be created', async () =>
    expect(await conditionAfterDeletion({ deletionTimestamp })).toMatchObject({ reason: 'WaitingForMachineDeletion' }));
});
