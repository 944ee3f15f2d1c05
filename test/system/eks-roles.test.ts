/** Roles that Capstan makes for EKS, where the account has none of the AWS provider's. */
import { afterEach, describe, expect, it } from 'vitest';
import { remains } from './checks.ts';
import { eksOf } from './eks.fixture.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const { call, manifest, applied } = eksOf(() => world);
const isAvailable = () => world.condition('Cluster', 'eks', 'Available')?.status === 'True';
const hasWorkers = () => world.find('MachinePool', 'eks-workers')?.status?.readyReplicas === 2;
const names = () =>
  world
    .live('role')
    .map(({ id }) => id)
    .sort();

const open = async (): Promise<void> => {
  world = await createWorld();
  for (const role of ['eks-controlplane', 'eks-nodegroup'])
    world.system.account.remove('role', `${role}.cluster-api-provider-aws.sigs.k8s.io`);
};

describe('roles of EKS', () => {
  it('are made for the cluster and its pool, with the policies that these need, and go with them', async () => {
    await open();
    const objects = await manifest();
    const before = world.live().map(({ id }) => id);
    await applied(objects);
    await world.until('workers', () => isAvailable() && hasWorkers(), 60);
    expect(names()).toEqual([
      expect.stringMatching(/^capstan-eks-eks-[0-9a-f]{12}$/),
      expect.stringMatching(/^capstan-eks-eks-[0-9a-f]{12}$/),
    ]);
    const { roleArn } = (await call('DescribeCluster', { name: 'default_eks' })).cluster;
    const RoleName = roleArn.split('/').at(-1)!;
    expect(names()).toContain(RoleName);
    const { AttachedPolicies } = await call('ListAttachedRolePolicies', { RoleName });
    expect(AttachedPolicies).toEqual([{ PolicyArn: 'arn:aws:iam::aws:policy/AmazonEKSClusterPolicy' }]);
    expect(world.calls(true)).toMatchObject({ CreateRole: 2, AttachRolePolicy: 4 });
    await world.remove('Cluster', 'eks');
    const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
    await world.until('nothing remains', () => left().length === 0, 60);
    expect(world.errors).toEqual([]);
  });

  it('are asked of the user where the deployment may not make them', async () => {
    await open();
    const { id } = world.system.account.faults.add({ action: 'CreateRole', code: 'AccessDenied' });
    await applied(await manifest());
    const message = () => world.condition('AWSManagedControlPlane', 'eks', 'IAMControlPlaneRolesReady')?.message ?? '';
    await world.until('refused', () => message().includes('AccessDenied'), 20);
    expect(message()).toMatch(/spec\.roleName, or deploy with --context eksRoles=capstan-eks-\*$/);
    world.system.account.faults.clear(id);
    await world.until('available', isAvailable, 40);
  });

  it.each([2, 5, 9, 14])('are there once when the worker is killed after %i changes', async (effects) => {
    await open();
    await applied(await manifest());
    world.crashAfter(world.effects + effects);
    await world.until('workers', () => isAvailable() && hasWorkers(), 60);
    expect(names()).toHaveLength(2);
    world.crashAfter(world.effects + effects);
    await world.remove('Cluster', 'eks');
    await world.until('no roles', () => names().length === 0, 60);
  });
});
