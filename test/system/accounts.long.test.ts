/** A cluster in another account, by a role that is assumed. */
import { afterEach, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const elsewhere = '222233334444';
const group = 'infrastructure.cluster.x-k8s.io/v1beta2';
const other = () => world.system.account.other(elsewhere);
const identity = (name: string, spec: object) => ({
  apiVersion: group,
  kind: 'AWSClusterRoleIdentity',
  metadata: { name },
  spec,
});

/** A role of the other account, which the installation may assume, and an identity of it. */
const offer = async (spec: object = { allowedNamespaces: {} }) => {
  const roleARN = other().trust('clusters', { trusts: [world.system.account.id], externalId: 'ours' });
  await world.apply(identity('tenant', { roleARN, externalID: 'ours', ...spec }));
  return roleARN;
};

const create = async () => {
  for (const object of example('quickstart.yaml')) {
    if (object.kind === 'AWSCluster')
      Object.assign(object.spec as object, { identityRef: { kind: 'AWSClusterRoleIdentity', name: 'tenant' } });
    await world.apply(object);
  }
  return world.all('Cluster')[0]!.metadata.name;
};
const condition = (name: string, type: string) => world.condition('AWSCluster', name, type);

it('comes and goes; the own account stays empty, a revoked role stops it until it is back', async () => {
  world = await createWorld();
  const roleARN = await offer();
  const name = await create();
  await world.until('settled', () => isSettled(world), 40);
  expect(world.live()).toEqual([]);
  expect(
    other()
      .list()
      .filter(({ type }) => type === 'instance'),
  ).toHaveLength(world.all('AWSMachine').length);
  const [{ metadata, status }] = world.all('AWSCluster') as [ReturnType<typeof world.all<'AWSCluster'>>[0]];
  expect(metadata.annotations).toMatchObject({ 'capstan.dev/account': `${elsewhere}/${metadata.uid}` });
  expect(status?.ready).toBe(true);

  other().revoke('clusters');
  await world.pass(70);
  await world.patch('AWSCluster', name, { metadata: { annotations: { look: 'again' } } });
  await world.until('reported', () => condition(name, 'PrincipalCredentialRetrieved')?.status === 'False', 10);
  expect(condition(name, 'PrincipalCredentialRetrieved')).toMatchObject({
    reason: 'PrincipalCredentialRetrievalFailed',
    message: expect.stringContaining('AccessDenied'),
  });
  expect(world.find('AWSCluster', name)?.status?.ready).toBe(true);
  const before = other().list().length;
  await world.remove('Cluster', name);
  await world.pass(30);
  expect(other().list()).toHaveLength(before);
  expect(world.all('AWSCluster')).toHaveLength(1);

  expect(other().trust('clusters', { trusts: [world.system.account.id], externalId: 'ours' })).toBe(roleARN);
  await world.until('gone', () => world.all('Cluster').length === 0, 90);
  expect(other().list()).toEqual([]);
  expect(world.live()).toEqual([]);
  expect(world.errors.filter((error) => !error.includes('cannot be assumed'))).toEqual([]);
});

it('calls nothing where its namespace may not use the identity', async () => {
  world = await createWorld();
  await offer({ allowedNamespaces: { list: ['team'] } });
  const name = await create();
  await world.until(
    'refused',
    () =>
      condition(name, 'PrincipalUsageAllowed') !== undefined ||
      world.all('ClusterOperation')[0]?.status?.message !== undefined,
    10,
  );
  await world.pass(10);
  expect(other().calls()).toEqual([]);
  // The installation's own search for orphans.
  expect(Object.keys(world.calls())).toEqual(['GetResources']);
});

it('waits for an identity that comes after it, and goes on by itself', async () => {
  world = await createWorld();
  const name = await create();
  const operation = () => world.all('ClusterOperation')[0]?.status;
  const waits = /Waiting for AWSClusterRoleIdentity tenant, which AWSCluster default\/quickstart leads to/;
  await world.until('waiting', () => waits.test(operation()?.message ?? ''), 10);
  await world.pass(20);
  expect(other().calls()).toEqual([]);
  await offer();
  await world.until('settled', () => isSettled(world), 40);
  expect(world.all('ClusterOperation')).toHaveLength(1);
  expect(world.condition('Cluster', name, 'Available')?.status).toBe('True');
});

it('stops a cluster whose identity leads to another account', async () => {
  world = await createWorld();
  await offer();
  const name = await create();
  await world.until('settled', () => isSettled(world), 40);
  const third = world.system.account.other('333344445555');
  const roleARN = third.trust('clusters', { trusts: [world.system.account.id] });
  await world.apply(identity('tenant', { roleARN, allowedNamespaces: {} }));
  await world.until('stopped', () => condition(name, 'PrincipalUsageAllowed')?.status === 'False', 5);
  expect(condition(name, 'PrincipalUsageAllowed')?.message).toMatch(/is in account 222233334444, .* 333344445555/);
  await world.pass(60);
  expect(third.calls()).toEqual([]);
  expect(world.find('AWSCluster', name)?.status?.ready).toBe(true);
});
