/** What is kept of an etcd that does not answer, before the example quickstart is restored. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { eventsAbout } from './pools.fixture.ts';
import { cluster, controlPlane } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  const before = await createWorld({ workflows: true });
  for (const object of example('quickstart.yaml')) await before.apply(object);
  await before.until('settled', () => isSettled(before), 30);
  quickstart = await before.moment();
}, 60_000);
afterEach(() => world.end());

const operations = '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations';
const restore = async (attempt = 1) => {
  const asked = await world.request('POST', operations, {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-${attempt}` },
    spec: { clusterName: cluster, type: 'restore', snapshot: 'before' },
  });
  expect(asked.code, asked.body.message).toBe(201);
};
const operation = (attempt = 1) => world.find('ClusterOperation', `${cluster}-restore-${attempt}`);
const ended = (attempt = 1) =>
  world.until(
    'ended',
    () => ['Succeeded', 'Held', 'RolledBack', 'Cancelled'].includes(operation(attempt)?.status?.phase ?? ''),
    90,
  );
const preflight = (attempt = 1) => operation(attempt)?.status?.steps?.[0];
const hosts = () =>
  world
    .all('Machine')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined)
    .map(({ spec }) => spec?.providerID?.split('/').at(-1) ?? '');
const kept = () => world.find('Installation', 'capstan', '')?.status?.kept ?? [];
const copies = () => world.live('snapshot');

/** One of three members is left, whose etcd has no quorum. */
const open = async (seed: number): Promise<string> => {
  world = await createWorld({ from: quickstart, seed, workflows: true });
  await world.scale('KubeadmControlPlane', controlPlane, 3);
  await world.until('scaled', () => hosts().length === 3 && isSettled(world), 60);
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded', 10);
  const [left = '', ...others] = hosts();
  for (const id of others) world.system.account.terminate(id);
  await world.pass(5);
  return left;
};

it('copies the disks of the hosts before it stops the first one, and deletes them in the end', async () => {
  const left = await open(1);
  await restore();
  await world.until('stopping', () => operation()?.status?.step === 'StopMembers', 30);
  const [copy, ...more] = copies();
  expect(more).toEqual([]);
  expect(copy).toMatchObject({ state: 'completed', tags: { 'capstan.dev/purpose': 'etcd-disk' } });
  const text = `EBS snapshot ${copy!.id} (/dev/sda1 of EC2 instance ${left})`;
  expect(preflight()?.message).toContain(text);
  await ended();
  expect(operation()?.status).toMatchObject({ phase: 'Succeeded', disks: [text] });
  expect(operation()?.status?.message).toContain(`kept until ${operation()?.status?.disksUntil}: ${text}`);
  await world.until('settled', () => isSettled(world), 60);
  await world.until('listed', () => kept().length === 1, 25 * 60);
  expect(kept()).toMatchObject([{ type: 'snapshot', id: copy!.id, until: operation()?.status?.disksUntil }]);
  expect(kept()).toMatchObject([
    { cluster, of: `/dev/sda1 of EC2 instance ${left}`, since: operation()?.metadata.creationTimestamp },
  ]);
  await world.remove('Cluster', cluster);
  await world.until('cluster gone', () => world.find('Cluster', cluster) === undefined, 90);
  expect((await eventsAbout(world, `${cluster}-delete-1`)).join('\n')).toContain(
    `One copy of a disk stays, which a restore kept: ${text} until ${kept()[0]?.until}; to remove one now, run: aws ec2 delete-snapshot --snapshot-id ${copy!.id} --region eu-central-1. Its last state is EtcdSnapshot`,
  );
  // As its user does who needs it no more.
  const Tags = [{ Key: 'capstan.dev/kept-until', Value: '2026-01-01T00:00:00Z' }];
  await world.system.account.call('eu-central-1', 'CreateTags', { Resources: [copy!.id], Tags });
  await world.until('deleted', () => copies().length === 0 && kept().length === 0, 50 * 60);
}, 60_000);

it('stops nothing where the account refuses, until its user goes on without them', async () => {
  const left = await open(2);
  world.system.account.faults.add({ action: 'CreateSnapshot', code: 'UnauthorizedOperation' });
  await restore();
  await ended();
  expect(operation()?.status?.phase).toBe('RolledBack');
  expect(operation()?.status?.message).toMatch(
    /its disks cannot be kept: CreateSnapshot of \/dev\/sda1 of EC2 instance i-\w+: UnauthorizedOperation: .* Nothing was changed\. .*run: capstan snapshot restore before -n default --override DisksNotKept$/,
  );
  expect(hosts()).toContain(left);
  await world.patch('Cluster', cluster, {
    metadata: { annotations: { 'capstan.dev/override-findings': `${cluster}-restore-2:DisksNotKept` } },
  });
  await restore(2);
  await ended(2);
  expect(operation(2)?.status?.phase, operation(2)?.status?.message).toBe('Succeeded');
  expect(preflight(2)?.message).toContain('Overridden by capstan.dev/override-findings: DisksNotKept');
  expect(copies()).toEqual([]);
});

it('names the code of AWS while a copy cannot begin, and goes on when it can', async () => {
  await open(3);
  const fault = world.system.account.faults.add({ action: 'CreateSnapshot', code: 'RequestLimitExceeded' });
  await restore();
  await world.until('delayed', () => preflight()?.reason === 'RequestLimitExceeded', 3);
  expect(preflight()?.message).toMatch(
    /which are begun again: CreateSnapshot of \/dev\/sda1 of EC2 instance i-\w+: RequestLimitExceeded: /,
  );
  world.system.account.faults.clear(fault.id);
  await ended();
  expect(operation()?.status).toMatchObject({ phase: 'Succeeded', disks: [expect.stringContaining('/dev/sda1')] });
});
