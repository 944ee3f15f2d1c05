/** Machines that Capstan launches, as nodes of a cluster of EKS. */
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { remains } from './checks.ts';
import { eksOf, region, withoutWorkers } from './eks.fixture.ts';
import { createWorld, type World } from './world.ts';

const nodesRole = 'nodes.cluster-api-provider-aws.sigs.k8s.io';
let world: World;
afterEach(() => world.end());
const { call, manifest, applied } = eksOf(() => world);

const accountOf = async (): Promise<string> => {
  const { Role } = await call('GetRole', { RoleName: 'eks-controlplane.cluster-api-provider-aws.sigs.k8s.io' });
  return Role.Arn.split(':')[4]!;
};

/** Without a subnet: the control plane's decide. */
const workers = (image: string, subnet: string | undefined, cloudInit: object): KubeObject[] => [
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'eks-own' },
    spec: {
      clusterName: 'eks',
      replicas: 2,
      selector: { matchLabels: { of: 'eks-own' } },
      template: {
        metadata: { labels: { of: 'eks-own' } },
        spec: {
          clusterName: 'eks',
          version: 'v1.34.0',
          bootstrap: {
            configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'NodeadmConfigTemplate', name: 'eks-own' },
          },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'AWSMachineTemplate',
            name: 'eks-own',
          },
        },
      },
    },
  },
  {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'NodeadmConfigTemplate',
    metadata: { name: 'eks-own' },
    spec: {
      template: {
        spec: {
          kubelet: { flags: ['--node-labels=team=blue'] },
          files: [{ path: '/etc/motd', content: 'hello' }],
          preNodeadmCommands: ['echo hello'],
        },
      },
    },
  },
  {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachineTemplate',
    metadata: { name: 'eks-own' },
    spec: {
      template: {
        spec: {
          instanceType: 't3.large',
          iamInstanceProfile: nodesRole,
          ami: { id: image },
          ...(subnet && { subnet: { id: subnet } }),
          cloudInit,
        },
      },
    },
  },
];

/** `entries`: of the control plane; absent: the role of the workers is let in. */
const opened = async (
  cloudInit: object,
  { isGiven = true, entries }: { isGiven?: boolean; entries?: object[] } = {},
) => {
  world = await createWorld();
  const principalARN = `arn:aws:iam::${await accountOf()}:role/${nodesRole}`;
  const objects = withoutWorkers(
    await manifest({
      AWSManagedControlPlane: {
        accessConfig: { authenticationMode: 'api' },
        accessEntries: entries ?? [{ principalARN, type: 'ec2_linux' }],
        ...(!isGiven && { network: undefined }),
      },
      // EKS chooses the range of Services.
      Cluster: { clusterNetwork: undefined },
    }),
  );
  const before = world.live().map(({ id }) => id);
  await applied(objects);
  const { network } = objects.find(({ kind }) => kind === 'AWSManagedControlPlane')!.spec as {
    network?: { subnets: { id: string }[] };
  };
  const image = world.system.account.addImage(region, {
    name: 'amazon-eks-node-al2023-x86_64-standard-1.34.0-v20251120',
    architecture: 'x86_64',
  });
  await applied(workers(image, network?.subnets[0]?.id, cloudInit));
  return before;
};
const deployment = () => world.find('MachineDeployment', 'eks-own')?.status;

describe('a MachineDeployment under EKS', () => {
  it('brings Nodes by nodeadm, and goes before the control plane', async () => {
    const before = await opened({ insecureSkipSecretsManager: true });
    await world.until('workers', () => deployment()?.readyReplicas === 2, 60);
    const [machine] = world.all('Machine');
    const secret = world.find('Secret', machine!.spec!.bootstrap!.dataSecretName!)!;
    const text = Buffer.from(secret.data!.value!, 'base64').toString();
    expect(text).toContain('Content-Type: application/node.eks.aws');
    expect(text).toContain('cidr: 10.100.0.0/16');
    expect(text).toContain('echo hello');
    expect(Object.keys(secret.data!)).toEqual(['value']);
    const instances = world.live('instance').filter(({ state }) => state === 'running');
    expect(instances.map(({ tags }) => tags['kubernetes.io/cluster/default_eks'])).toEqual(['owned', 'owned']);
    expect(world.calls(true)).not.toHaveProperty('CreateSecret');

    await world.remove('Cluster', 'eks');
    const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
    await world.until('nothing remains', () => left().length === 0, 90);
    expect(world.errors).toEqual([]);
  });

  it('spreads over the private subnets of a network that Capstan makes', async () => {
    const before = await opened({ insecureSkipSecretsManager: true }, { isGiven: false });
    await world.until('workers', () => deployment()?.readyReplicas === 2, 60);
    const { networkStatus } = world.find('AWSManagedControlPlane', 'eks')!.status!;
    const { node, 'node-eks-additional': more } = networkStatus!.securityGroups as Record<string, { id: string }>;
    const inside = world
      .find('AWSManagedControlPlane', 'eks')!
      .spec!.network!.subnets!.flatMap(({ isPublic, resourceID }) => (isPublic ? [] : [resourceID]));
    const { Reservations } = await call('DescribeInstances', {
      Filters: [{ Name: 'instance-state-name', Values: ['running'] }],
    });
    for (const { SubnetId, SecurityGroups } of Reservations.flatMap(({ Instances }) => Instances)) {
      expect(inside).toContain(SubnetId);
      expect(SecurityGroups.map(({ GroupId }) => GroupId).sort()).toEqual([node!.id, more!.id].sort());
    }
    await world.remove('Cluster', 'eks');
    const left = () => remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
    await world.until('nothing remains', () => left().length === 0, 90);
  });

  it('says that the cluster does not let its role in, and goes on when it does', async () => {
    await opened({ insecureSkipSecretsManager: true }, { entries: [] });
    const boot = () =>
      world
        .all('AWSMachine')
        .flatMap(({ metadata }) => world.condition('AWSMachine', metadata.name, 'BootstrapExecSucceeded') ?? []);
    await world.until('refused', () => boot().some(({ reason }) => reason === 'NodeRefused'), 60);
    expect(boot()[0]?.message).toContain('Unauthorized');
    const principalARN = `arn:aws:iam::${await accountOf()}:role/${nodesRole}`;
    const accessEntries = [{ principalARN, type: 'ec2_linux' }];
    await world.patch('AWSManagedControlPlane', 'eks', { spec: { accessEntries } });
    await world.until('workers', () => deployment()?.readyReplicas === 2, 60);
    await world.until('no more refused', () => boot().every(({ status }) => status === 'True'), 20);
    expect(world.errors).toEqual([]);
  });

  it('says that its user data has to be plain', async () => {
    await opened({});
    const message = () => {
      const name = world.all('AWSMachine')[0]?.metadata.name;
      return (name && world.condition('AWSMachine', name, 'InstanceReady')?.message) || '';
    };
    await world.until('said', () => message().includes('set spec.cloudInit.insecureSkipSecretsManager'), 60);
    expect(world.calls(true)).not.toHaveProperty('RunInstances');
  });
});
