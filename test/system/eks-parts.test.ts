/** Access entries and add-ons of EKS clusters. */
import { afterEach, describe, expect, it } from 'vitest';
import { eksOf, withoutWorkers } from './eks.fixture.ts';
import { createWorld, type World } from './world.ts';

const clusterName = 'default_eks';
const admin = 'arn:aws:iam::123456789012:role/admin';
const nodes = 'arn:aws:iam::123456789012:role/nodes';
const viewPolicy = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy';
const editPolicy = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy';
const dns = 'v1.11.4-eksbuild.2';

let world: World;
afterEach(() => world.end());
const { call, manifest, applied } = eksOf(() => world);

const plane = () => world.find('AWSManagedControlPlane', 'eks');
const condition = (type: string) => world.condition('AWSManagedControlPlane', 'eks', type);
const patch = (spec: object) => world.patch('AWSManagedControlPlane', 'eks', { spec });
const principals = async () => (await call('ListAccessEntries', { clusterName })).accessEntries;
const addons = async () => (await call('ListAddons', { clusterName })).addons;
const writes = () => Object.values(world.calls(true)).reduce((sum, count) => sum + count, 0);
const open = async (spec: object): Promise<void> => {
  world = await createWorld();
  await applied(
    withoutWorkers(
      await manifest({ AWSManagedControlPlane: { accessConfig: { authenticationMode: 'api' }, ...spec } }),
    ),
  );
  await world.until('ready', () => plane()?.status?.ready === true, 40);
  await world.pass(3);
};

describe('access entries', () => {
  it('are as the spec says, stay without a write, and go with the last one', async () => {
    await open({
      accessEntries: [
        {
          principalARN: admin,
          accessPolicies: [{ policyARN: viewPolicy, accessScope: { type: 'namespace', namespaces: ['team'] } }],
        },
        { principalARN: nodes, type: 'ec2_linux' },
      ],
    });
    expect(await principals()).toEqual([admin, nodes]);
    const policies = async () =>
      (await call('ListAssociatedAccessPolicies', { clusterName, principalArn: admin })).associatedAccessPolicies;
    expect(await policies()).toEqual([
      { policyArn: viewPolicy, accessScope: { type: 'namespace', namespaces: ['team'] } },
    ]);
    const before = writes();
    await world.pass(100);
    expect(writes()).toBe(before);

    await patch({
      accessEntries: [
        {
          principalARN: admin,
          kubernetesGroups: ['admins'],
          accessPolicies: [{ policyARN: editPolicy, accessScope: { type: 'cluster' } }],
        },
        { principalARN: nodes, type: 'standard' },
      ],
    });
    await world.pass(3);
    expect(await policies()).toEqual([{ policyArn: editPolicy, accessScope: { type: 'cluster' } }]);
    const { accessEntry } = await call('DescribeAccessEntry', { clusterName, principalArn: admin });
    expect(accessEntry).toMatchObject({ kubernetesGroups: ['admins'], type: 'STANDARD' });
    expect((await call('DescribeAccessEntry', { clusterName, principalArn: nodes })).accessEntry.type).toBe('STANDARD');

    await call('CreateAccessEntry', { clusterName, principalArn: `${admin}-2`, type: 'STANDARD', tags: {} });
    await patch({ accessEntries: null });
    await world.pass(3);
    expect(await principals()).toEqual([`${admin}-2`]);
    expect(world.errors).toEqual([]);
  });

  it('of another are left as they are', async () => {
    await open({});
    await call('CreateAccessEntry', {
      clusterName,
      principalArn: admin,
      type: 'STANDARD',
      kubernetesGroups: ['theirs'],
      tags: {},
    });
    await patch({ accessEntries: [{ principalARN: admin, kubernetesGroups: ['ours'] }] });
    await world.until(
      'refused',
      () => condition('EKSControlPlaneReady')?.message?.includes(`${admin} exists and was not made`) === true,
      10,
    );
    await patch({ accessEntries: null });
    await world.until('mended', () => condition('EKSControlPlaneReady')?.status === 'True', 10);
    const { accessEntry } = await call('DescribeAccessEntry', { clusterName, principalArn: admin });
    expect(accessEntry.kubernetesGroups).toEqual(['theirs']);
  });
});

describe('add-ons', () => {
  it('are made, changed and removed, and those of others stay', async () => {
    await open({
      addons: [
        { name: 'coredns', version: dns, configuration: '{"replicaCount":3}' },
        { name: 'aws-ebs-csi-driver', version: 'v1.40.0-eksbuild.1', preserveOnDelete: true },
      ],
    });
    await world.until('configured', () => condition('EKSAddonsConfigured')?.status === 'True', 10);
    expect(plane()?.status?.addons).toMatchObject([
      { name: 'coredns', version: dns, status: 'ACTIVE' },
      { name: 'aws-ebs-csi-driver' },
    ]);
    await call('CreateAddon', {
      clusterName,
      addonName: 'metrics-server',
      addonVersion: 'v0.7.2-eksbuild.1',
      tags: {},
    });
    const before = writes();
    await world.pass(60);
    expect(writes()).toBe(before);

    await patch({ addons: [{ name: 'coredns', version: 'v1.12.0-eksbuild.1' }] });
    await world.until('changed', () => plane()?.status?.addons?.[0]?.version === 'v1.12.0-eksbuild.1', 10);
    await world.until('configured', () => condition('EKSAddonsConfigured')?.status === 'True', 10);
    expect(await addons()).toEqual(['coredns', 'metrics-server']);
    expect(world.calls(true)).toMatchObject({ CreateAddon: 2, UpdateAddon: 1, DeleteAddon: 1 });
    expect(world.errors).toEqual([]);
  });

  it('that EKS refuses say why, and keep nothing else', async () => {
    await open({
      addons: [
        { name: 'of-nobody', version: 'v1.0.0-eksbuild.1' },
        { name: 'coredns', version: dns },
      ],
    });
    await world.until(
      'refused',
      () => condition('EKSAddonsConfigured')?.message?.includes('Addon of-nobody specified is not supported') === true,
      10,
    );
    expect(await addons()).toEqual(['coredns']);
    await patch({ addons: [{ name: 'coredns', version: dns }] });
    await world.until('mended', () => condition('EKSAddonsConfigured')?.status === 'True', 10);
  });
});
