/** A cluster whose control plane EKS runs, from its creation to its deletion. */
import { afterEach, describe, expect, it } from 'vitest';
import type { EksCluster } from '../../kinds/ports/cloud/index.ts';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import { remains } from './checks.ts';
import { eksOf, withoutWorkers } from './eks.fixture.ts';
import { createWorld, type World } from './world.ts';

const name = 'default_eks';
let world: World;
afterEach(() => world.end());

const { call, applied, ...eks } = eksOf(() => world);
const described = async (): Promise<EksCluster> => (await call('DescribeCluster', { name })).cluster;
const manifest = async (change: object = {}) => withoutWorkers(await eks.manifest({ AWSManagedControlPlane: change }));
const isAvailable = () => world.condition('Cluster', 'eks', 'Available')?.status === 'True';
const plane = () => world.find('AWSManagedControlPlane', 'eks');
const patch = (spec: object) => world.patch('AWSManagedControlPlane', 'eks', { spec });
const message = () => world.condition('AWSManagedControlPlane', 'eks', 'EKSControlPlaneReady')?.message;

describe('a cluster of EKS', () => {
  it('becomes Available, follows its spec by one update at a time, idles cheaply, and goes', async () => {
    world = await createWorld();
    const objects = await manifest();
    const before = world.live().map(({ id }) => id);
    await applied(objects);
    await world.until('available', isAvailable, 40);
    expect(plane()?.status).toMatchObject({ ready: true, initialized: true, version: 'v1.34' });
    expect((await described()).tags).toMatchObject({ 'kubernetes.io/cluster/default_eks': 'owned' });
    expect(Object.keys(world.find('Secret', 'eks-kubeconfig')?.data ?? {})).toEqual([
      'value',
      'relative',
      'token-file',
    ]);
    expect(world.find('Secret', 'eks-user-kubeconfig')).toBeDefined();

    await patch({
      endpointAccess: { public: false, private: true },
      logging: { apiServer: true, audit: true, authenticator: false, controllerManager: false, scheduler: false },
      accessConfig: { authenticationMode: 'api_and_config_map' },
      version: 'v1.36.0',
    });
    await world.until('as the spec says', () => plane()?.status?.version === 'v1.36', 90);
    await world.pass(15);
    expect(await described()).toMatchObject({
      version: '1.36',
      status: 'ACTIVE',
      accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
      resourcesVpcConfig: { endpointPublicAccess: false, endpointPrivateAccess: true },
    });
    expect(world.calls(true)).toMatchObject({ CreateCluster: 1, UpdateClusterConfig: 3, UpdateClusterVersion: 2 });
    expect(world.condition('Cluster', 'eks', 'RemoteConnectionProbe')?.status).toBe('True');

    const reads = () => Object.values(world.calls(false)).reduce((sum, count) => sum + count, 0);
    const since = reads();
    await world.pass(30);
    expect((reads() - since) / 3).toBeLessThanOrEqual(15);
    const text = Buffer.from(world.find('Secret', 'eks-kubeconfig')?.data?.value ?? '', 'base64').toString();
    expect(connectionOf(text).token).toMatch(/^k8s-aws-v1\./);

    await world.remove('Cluster', 'eks');
    const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
    await world.until('nothing remains', () => left().length === 0, 60);
    expect(world.errors).toEqual([]);
  });

  it('neither changes nor deletes a cluster of the name that another made', async () => {
    world = await createWorld();
    const objects = await manifest({ eksClusterName: 'theirs' });
    const { network } = objects.at(-1)!.spec as { network: { subnets: { id: string }[] } };
    await call('CreateCluster', {
      name: 'theirs',
      roleArn: (await call('GetRole', { RoleName: 'eks-controlplane.cluster-api-provider-aws.sigs.k8s.io' })).Role.Arn,
      resourcesVpcConfig: {
        subnetIds: network.subnets.map(({ id }) => id),
        endpointPublicAccess: true,
        endpointPrivateAccess: false,
      },
      logging: { clusterLogging: [] },
      accessConfig: { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: true },
      bootstrapSelfManagedAddons: true,
      tags: {},
      clientRequestToken: 'theirs',
    });
    await applied(objects);
    await world.until('refused', () => message()?.includes('was not made for this Cluster') === true, 30);
    await world.remove('Cluster', 'eks');
    await world.until('gone', () => world.find('Cluster', 'eks') === undefined, 30);
    expect(world.live('cluster')).toHaveLength(1);
    expect(world.calls(true)).not.toHaveProperty('DeleteCluster');
  });

  it('has no etcd of which a snapshot could be taken', async () => {
    world = await createWorld();
    await applied(await manifest());
    await world.until('available', isAvailable, 40);
    await world.apply({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { name: 'by-hand' },
      spec: { clusterName: 'eks' },
    });
    await world.until('failed', () => world.find('EtcdSnapshot', 'by-hand')?.status?.phase === 'Failed', 5);
    expect(world.condition('EtcdSnapshot', 'by-hand', 'Ready')).toMatchObject({
      reason: 'EtcdOfService',
      message: expect.stringContaining('no snapshot of it can be taken'),
    });
  });

  it('says which role is missing', async () => {
    world = await createWorld();
    await applied(await manifest({ roleName: 'of-ours' }));
    const text = () => world.condition('AWSManagedControlPlane', 'eks', 'IAMControlPlaneRolesReady')?.message ?? '';
    await world.until('said', () => text().startsWith('Role of-ours does not exist'), 30);
    expect(world.calls(true)).not.toHaveProperty('CreateCluster');
  });
});
