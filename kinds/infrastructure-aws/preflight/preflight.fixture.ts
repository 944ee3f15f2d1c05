/** The objects of a cluster and an account around it, with the differences of a test. Nothing is ever unread. */

import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import {
  type CloudAction,
  CloudError,
  type CloudInput,
  type CloudOutput,
  isNotFound,
} from '../../ports/cloud/index.ts';
import { referenceTo } from '../../references.fixture.ts';
import { defaultIdentity } from '../aws-cluster-controller-identity/index.ts';
import { judgePreflight, observePreflight, observeReplacementPreflight, type PreflightFacts } from './index.ts';

export const now = Date.UTC(2026, 5, 1);
export const region = 'eu-west-1';
const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];

const object = (apiVersion: string, kind: string, name: string, spec: object, labels = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, labels },
  spec,
});
const member = { 'cluster.x-k8s.io/cluster-name': 'demo' };

export const objects = {
  cluster: object('cluster.x-k8s.io/v1beta2', 'Cluster', 'demo', {
    clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16'] } },
    infrastructureRef: referenceTo('AWSCluster', 'demo'),
    controlPlaneRef: referenceTo('KubeadmControlPlane', 'demo-cp'),
  }),
  awsCluster: object('infrastructure.cluster.x-k8s.io/v1beta2', 'AWSCluster', 'demo', {
    region,
    controlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internet-facing' },
  }),
  controlPlane: {
    ...object('controlplane.cluster.x-k8s.io/v1beta2', 'KubeadmControlPlane', 'demo-cp', {
      replicas: 3,
      version: 'v1.35.0',
      machineTemplate: { spec: { infrastructureRef: referenceTo('AWSMachineTemplate', 'demo-cp') } },
    }),
    status: { conditions: [{ type: 'CertificatesAvailable', status: 'False', reason: 'NotAvailable' }] },
  },
  controlPlaneTemplate: object('infrastructure.cluster.x-k8s.io/v1beta2', 'AWSMachineTemplate', 'demo-cp', {
    template: {
      spec: { instanceType: 't3.large', iamInstanceProfile: 'control-plane.example', sshKeyName: 'default' },
    },
  }),
  workers: object(
    'cluster.x-k8s.io/v1beta2',
    'MachineDeployment',
    'workers',
    {
      clusterName: 'demo',
      replicas: 2,
      template: {
        spec: {
          clusterName: 'demo',
          version: 'v1.35.0',
          bootstrap: { configRef: referenceTo('KubeadmConfigTemplate', 'workers') },
          infrastructureRef: referenceTo('AWSMachineTemplate', 'workers'),
        },
      },
    },
    member,
  ),
  workersTemplate: object('infrastructure.cluster.x-k8s.io/v1beta2', 'AWSMachineTemplate', 'workers', {
    template: { spec: { instanceType: 'm7g.large', iamInstanceProfile: 'nodes.example' } },
  }),
  workersConfig: object('bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfigTemplate', 'workers', {
    template: { spec: { joinConfiguration: {} } },
  }),
  namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } } as KubeObject,
  identity: defaultIdentity as KubeObject,
};
export type Named = keyof typeof objects;

/** The responses by action; a thrown error is an AWS error. */
export type Answers = { [A in CloudAction]?: (input: CloudInput<A>, region: string) => CloudOutput<A> };

export const refusal = (code: string, message = 'no'): never => {
  throw new CloudError(code, message);
};

const architectures: Record<string, string[]> = {
  'g5.xlarge': ['x86_64'],
  't2.medium': ['i386', 'x86_64'],
  't3.large': ['x86_64'],
  't3.micro': ['x86_64'],
  'm7g.large': ['arm64'],
};
export const imageOf = (architecture: 'x86_64' | 'arm64', changed = {}) => ({
  ImageId: `ami-${architecture}`,
  Name: 'an-image',
  OwnerId: '1',
  State: 'available',
  Architecture: architecture,
  CreationDate: '2026-01-01T00:00:00Z',
  RootDeviceName: '/dev/sda1',
  BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 8 } }],
  VirtualizationType: 'hvm',
  ...changed,
});
export const vpcOf = (id: string, block = '10.0.0.0/16', more: string[] = []) => ({
  VpcId: id,
  State: 'available' as const,
  CidrBlock: block,
  CidrBlockAssociationSet: [block, ...more].map((CidrBlock) => ({
    AssociationId: `a-${CidrBlock}`,
    CidrBlock,
    CidrBlockState: { State: 'associated' },
  })),
  IsDefault: false,
  Tags: [],
});
export const subnetOf = (id: string, zone = 'eu-west-1a', vpc = 'vpc-1', block = '10.0.1.0/24') => ({
  SubnetId: id,
  VpcId: vpc,
  State: 'available' as const,
  CidrBlock: block,
  AvailabilityZone: zone,
  AvailableIpAddressCount: 250,
  MapPublicIpOnLaunch: false,
  PrivateDnsNameOptionsOnLaunch: { HostnameType: 'ip-name' as const },
  Tags: [],
});
export const groupOf = (id: string, vpc: string) => ({
  GroupId: id,
  GroupName: id,
  Description: '',
  VpcId: vpc,
  IpPermissions: [],
  IpPermissionsEgress: [],
  Tags: [],
});
export const addressOf = (id: string) => ({ AllocationId: id, PublicIp: '192.0.2.1', Tags: [] });
export const quotaOf = (Value: number) => ({
  Quota: { ServiceCode: 'ec2', QuotaCode: 'L-1', QuotaName: 'quota', Value, Adjustable: true },
});

const defaults: Answers = {
  DescribeRegions: () => ({ Regions: [{ RegionName: region, OptInStatus: 'opt-in-not-required' }] }),
  DescribeAvailabilityZones: () => ({
    AvailabilityZones: zones.map((ZoneName) => ({
      ZoneName,
      ZoneId: ZoneName,
      ZoneType: 'availability-zone',
      State: 'available',
      RegionName: region,
    })),
  }),
  DescribeInstanceTypes: ({ InstanceTypes: [name = ''] }) => {
    const SupportedArchitectures = architectures[name] ?? refusal('InvalidInstanceType');
    return {
      InstanceTypes: [
        {
          InstanceType: name,
          VCpuInfo: { DefaultVCpus: 2 },
          MemoryInfo: { SizeInMiB: 8192 },
          ProcessorInfo: { SupportedArchitectures },
        },
      ],
    };
  },
  DescribeInstanceTypeOfferings: ({ Filters }) => ({
    InstanceTypeOfferings: (Filters?.[0]?.Values ?? []).flatMap((InstanceType) =>
      zones.map((Location) => ({ InstanceType, Location })),
    ),
  }),
  DescribeImages: ({ ImageIds, Filters }) => {
    const wanted =
      ImageIds?.[0]?.replace('ami-', '') ?? Filters?.find(({ Name }) => Name === 'architecture')?.Values[0];
    return { Images: [imageOf(wanted === 'arm64' ? 'arm64' : 'x86_64')] };
  },
  GetInstanceProfile: ({ InstanceProfileName }) => ({
    InstanceProfile: {
      InstanceProfileName,
      Arn: `arn:aws:iam::111122223333:instance-profile/${InstanceProfileName}`,
    },
  }),
  DescribeKeyPairs: ({ KeyNames = [] }) => ({
    KeyPairs: KeyNames.map((KeyName) => ({ KeyName, KeyPairId: `key-${KeyName}` })),
  }),
  GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-1216C47A' ? 64 : 5),
  DescribeVpcs: ({ VpcIds = [] }) => ({ Vpcs: VpcIds.map((id) => vpcOf(id)) }),
  DescribeAddresses: () => ({ Addresses: [] }),
  DescribeSubnets: ({ SubnetIds }) => ({
    Subnets: SubnetIds?.map((id) => subnetOf(id)) ?? [subnetOf('subnet-00000001')],
  }),
  DescribeSecurityGroups: ({ GroupIds = [] }) => ({ SecurityGroups: GroupIds.map((id) => groupOf(id, 'vpc-1')) }),
  DescribeLoadBalancers: () => refusal('LoadBalancerNotFound'),
  DescribeLoadBalancerTags: () => ({ TagDescriptions: [] }),
  DescribeClassicLoadBalancers: () => refusal('LoadBalancerNotFound'),
  DescribeClassicLoadBalancerTags: () => ({ TagDescriptions: [] }),
};

export interface Given {
  /** Merge patches of the default objects; null: the object does not exist. */
  changed?: Partial<Record<Named, object | null>>;
  more?: KubeObject[];
  answers?: Answers;
  /** Intercepts the calls and their responses. */
  disturb?: (question: string, answer: Read<unknown>) => Read<unknown>;
}

const answerOf = (
  answers: Answers,
  operation: string,
  { region: asked, input }: { region: string; input: object },
): Read<unknown> => {
  const answer = (answers as Record<string, (input: object, region: string) => unknown>)[operation];
  if (!answer) throw new Error(`nothing answers ${operation}`);
  try {
    return { state: 'found', value: answer(input, asked) };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return isNotFound(error.code)
      ? { state: 'absent' }
      : { state: 'unreadable', reason: `${error.code}: ${error.message}` };
  }
};

const context: Context = {
  now,
  random: { suffix: () => 'x', pick: ([first]) => first!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'here',
  config: {},
  awaits: [],
};

const worldOf = ({ changed = {}, more = [], answers = {}, disturb = (_, answer) => answer }: Given) => {
  const all = (Object.keys(objects) as Named[])
    .flatMap((name) => {
      const change = changed[name];
      return change === null ? [] : [mergePatch(objects[name], (change ?? {}) as never) as KubeObject];
    })
    .concat(more);
  const named = (kind: string, name: string) => all.find((one) => one.kind === kind && one.metadata.name === name);
  const reader = {
    get: (kind: string, { name }: { name: string }) => {
      const value = named(kind, name);
      return disturb(`get ${kind} ${name}`, value ? { state: 'found', value } : { state: 'absent' });
    },
    list: (kind: string, { cluster }: { cluster?: string }) =>
      disturb(`list ${kind}`, {
        state: 'found',
        value: all.filter(
          (one) =>
            one.kind === kind &&
            (cluster === undefined || one.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === cluster),
        ),
      }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: (_port: string, operation: string, input: JsonValue) =>
      disturb(
        `${operation} ${JSON.stringify(input)}`,
        answerOf({ ...defaults, ...answers } as Answers, operation, input as never),
      ),
  } as Reader;
  return { cluster: named('Cluster', 'demo') as Cluster, reader };
};

export const factsOf = (given: Given = {}): PreflightFacts => {
  const { cluster, reader } = worldOf(given);
  return observePreflight(cluster, reader, context);
};
/** What is read before machines of an existing cluster are replaced. */
export const replacementFactsOf = (given: Given = {}): PreflightFacts => {
  const { cluster, reader } = worldOf(given);
  return observeReplacementPreflight(cluster, reader, context);
};
export const judged = (given: Given = {}): Preflight => judgePreflight(factsOf(given));

/** A patch of the spec in a template. */
export const inTemplate = (spec: object) => ({ spec: { template: { spec } } });
