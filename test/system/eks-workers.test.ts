/** Node groups of EKS as workers of its clusters, from their creation to their deletion. */
import { afterEach, describe, expect, it } from 'vitest';
import type { EksNodegroup } from '../../kinds/ports/cloud/index.ts';
import { remains } from './checks.ts';
import { eksOf } from './eks.fixture.ts';
import { createWorld, type World } from './world.ts';

const of = { clusterName: 'default_eks', nodegroupName: 'default_eks-workers' };
const name = 'eks-workers';
let world: World;
afterEach(() => world.end());

const { call, manifest, applied } = eksOf(() => world);
const group = async (): Promise<EksNodegroup> => (await call('DescribeNodegroup', of)).nodegroup;
const pool = () => world.find('AWSManagedMachinePool', name);
const machinePool = () => world.find('MachinePool', name);
const ready = () => world.condition('AWSManagedMachinePool', name, 'EKSNodegroupReady');
const isAvailable = () => world.condition('Cluster', 'eks', 'Available')?.status === 'True';
const hasNodes = (count: number) => () =>
  machinePool()?.status?.readyReplicas === count && pool()?.status?.replicas === count;
const patch = (kind: 'AWSManagedMachinePool' | 'MachinePool' | 'AWSManagedControlPlane', spec: object) =>
  world.patch(kind, kind === 'AWSManagedControlPlane' ? 'eks' : name, { spec });
const changes = () => {
  const { UpdateNodegroupConfig = 0, UpdateNodegroupVersion = 0 } = world.calls(true);
  return { config: UpdateNodegroupConfig, version: UpdateNodegroupVersion };
};
const isActive = async (): Promise<boolean> => (await group()).status === 'ACTIVE';

describe('a node group of EKS', () => {
  it('brings Nodes, follows its spec by one update at a time, idles cheaply, and goes before its cluster', async () => {
    world = await createWorld();
    const objects = await manifest();
    const before = world.live().map(({ id }) => id);
    await applied(objects);
    await world.until('workers', hasNodes(2), 60);
    await world.until('available', isAvailable, 10);
    expect(await group()).toMatchObject({
      status: 'ACTIVE',
      version: '1.34',
      instanceTypes: ['t3.large'],
      scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 2 },
      tags: { 'kubernetes.io/cluster/default_eks': 'owned' },
    });
    expect(machinePool()?.status).toMatchObject({ phase: 'Running', nodeRefs: [{}, {}] });
    expect(machinePool()?.spec?.providerIDList?.every((id) => /^aws:\/\/\/eu-central-1[ab]\/i-/.test(id))).toBe(true);

    await patch('AWSManagedMachinePool', {
      labels: { team: 'blue' },
      taints: [{ key: 'team', value: 'blue', effect: 'no-schedule' }],
    });
    await patch('MachinePool', { replicas: 3 });
    await world.until('three', hasNodes(3), 20);
    expect(await group()).toMatchObject({
      labels: { team: 'blue' },
      taints: [{ key: 'team', value: 'blue', effect: 'NO_SCHEDULE' }],
      scalingConfig: { desiredSize: 3 },
    });
    expect(changes().version).toBe(0);

    const reads = () => {
      const { DescribeNodegroup = 0, DescribeInstances = 0 } = world.calls(false);
      return DescribeNodegroup + DescribeInstances;
    };
    await world.pass(20);
    const [since, changed] = [reads(), changes()];
    await world.pass(30);
    expect((reads() - since) / 3).toBeLessThanOrEqual(5);
    expect(changes()).toEqual(changed);

    await world.remove('Cluster', 'eks');
    const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
    await world.until('nothing remains', () => left().length === 0, 60);
    expect(world.calls(true)).toMatchObject({ CreateNodegroup: 1, DeleteNodegroup: 1, DeleteCluster: 1 });
    expect(world.errors).toEqual([]);
  });

  it('follows its control plane minor by minor, with new instances', async () => {
    world = await createWorld();
    await applied(await manifest());
    await world.until('workers', hasNodes(2), 60);
    const first = pool()?.spec?.providerIDList;
    await patch('MachinePool', { template: { spec: { version: 'v1.36.0' } } });
    await world.pass(10);
    expect(changes().version).toBe(0);
    await patch('AWSManagedControlPlane', { version: 'v1.36.0' });
    let version = '';
    for (let minutes = 0; version !== '1.36' && minutes < 90; minutes++) {
      await world.pass(1);
      ({ version } = await group());
    }
    expect(version).toBe('1.36');
    await world.pass(10);
    expect(await isActive()).toBe(true);
    expect(changes().version).toBe(2);
    expect(hasNodes(2)()).toBe(true);
    expect(machinePool()?.status?.upToDateReplicas).toBe(2);
    expect(pool()?.spec?.providerIDList?.some((id) => first?.includes(id))).toBe(false);
    expect(world.errors).toEqual([]);
  });

  it('says what EKS says, and is made anew once the spec is mended', async () => {
    world = await createWorld();
    world.system.account.faults.add({
      action: 'RunInstances',
      type: 't3.large',
      code: 'InsufficientInstanceCapacity',
      message: 'We currently do not have sufficient t3.large capacity.',
    } as never);
    await applied(await manifest());
    await world.until('refused', () => ready()?.message?.startsWith('EKS failed to create node group') === true, 60);
    expect(ready()).toMatchObject({ status: 'False', reason: 'EKSNodegroupReconciliationFailed' });
    expect(ready()?.message).toContain('AsgInstanceLaunchFailures: Could not launch');
    expect(ready()?.message).toContain('spec.instanceType');
    await patch('AWSManagedMachinePool', { instanceType: 'm5.large' });
    await world.until('workers', hasNodes(2), 60);
    expect((await group()).instanceTypes).toEqual(['m5.large']);
    expect((await patch('AWSManagedMachinePool', { instanceType: 't3.large' })).body.message).toContain(
      'spec.instanceType: Invalid value: "t3.large": field is immutable: EKS takes it when the node group is made',
    );
  });

  it('leaves its size to another program that is named, and moves it between new limits', async () => {
    world = await createWorld();
    const objects = (await manifest()).map((object) =>
      object.kind === 'MachinePool'
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { 'cluster.x-k8s.io/replicas-managed-by': 'external-autoscaler' },
            },
          }
        : object,
    );
    await applied(objects);
    await world.until('one', hasNodes(1), 60);
    await call('UpdateNodegroupConfig', { ...of, scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 4 } });
    await world.until('four', () => machinePool()?.spec?.replicas === 4 && hasNodes(4)(), 20);
    expect(changes().config).toBe(0);
    await patch('AWSManagedMachinePool', { scaling: { minSize: 1, maxSize: 3 } });
    await world.until('three', () => machinePool()?.spec?.replicas === 3 && hasNodes(3)(), 20);
  });

  it('neither changes nor deletes a node group of the name that another made', async () => {
    world = await createWorld();
    const objects = await manifest();
    const isPool = ({ kind }: { kind: string }) => kind.endsWith('MachinePool');
    await applied(objects.filter((one) => !isPool(one)));
    await world.until('available', isAvailable, 40);
    const { cluster } = await call('DescribeCluster', { name: of.clusterName });
    const { Role } = await call('GetRole', { RoleName: 'eks-nodegroup.cluster-api-provider-aws.sigs.k8s.io' });
    await call('CreateNodegroup', {
      ...of,
      scalingConfig: { minSize: 1, maxSize: 1, desiredSize: 1 },
      subnets: cluster.resourcesVpcConfig.subnetIds,
      nodeRole: Role.Arn,
      tags: {},
      clientRequestToken: 'theirs',
    });
    await applied(objects.filter(isPool));
    await world.until('refused', () => ready()?.message?.includes('was not made for this object') === true, 30);
    await world.remove('MachinePool', name);
    await world.until('gone', () => pool() === undefined && machinePool() === undefined, 30);
    await world.pass(5);
    expect(await isActive()).toBe(true);
    expect(changes()).toEqual({ config: 0, version: 0 });
    expect(world.calls(true)).not.toHaveProperty('DeleteNodegroup');
  });

  it('says which role is missing, and takes another', async () => {
    world = await createWorld();
    await applied(await manifest({ AWSManagedMachinePool: { roleName: 'of-ours' } }));
    const roles = () => world.condition('AWSManagedMachinePool', name, 'IAMNodegroupRolesReady')?.message ?? '';
    await world.until('said', () => roles().startsWith('Role of-ours does not exist'), 40);
    expect(world.calls(true)).not.toHaveProperty('CreateNodegroup');
    await patch('AWSManagedMachinePool', { roleName: null });
    await world.until('workers', hasNodes(2), 30);
  });
});
