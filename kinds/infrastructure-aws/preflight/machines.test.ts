/** Checks of machines: instance types, images, profiles, key pairs, versions. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Given, imageOf, inTemplate, judged, refusal } from './preflight.fixture.ts';

type Table = (Given & { rule: string; says?: string; verdict?: 'absent' | 'pending' })[];
/** Passes without `says`; otherwise is refused with a message that starts with it. */
const follows = (table: Table) =>
  it.each(table)('$rule', ({ says, verdict: expected, ...given }) => {
    const { verdict, message } = judged(given);
    expect({ verdict, message: says === undefined ? message : message.slice(0, says.length) }).toEqual({
      verdict: expected ?? (says === undefined ? 'passed' : 'refused'),
      message: says ?? '',
    });
  });

const offeredIn = (...zones: string[]): Given['answers'] => ({
  DescribeInstanceTypeOfferings: ({ Filters }) => ({
    InstanceTypeOfferings: Filters![0]!.Values.flatMap((InstanceType) =>
      (InstanceType === 'm7g.large' ? zones : ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']).map((Location) => ({
        InstanceType,
        Location,
      })),
    ),
  }),
});
const bastion = { spec: { bastion: { enabled: true } } };

describe('instance types', () => {
  follows([
    {
      rule: 'that do not exist are refused',
      changed: { controlPlaneTemplate: inTemplate({ instanceType: 't3.lage' }) },
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec.instanceType: instance type t3.lage does not exist in eu-west-1',
    },
    {
      rule: 'that the region does not offer are refused',
      answers: offeredIn(),
      says: 'AWSMachineTemplate default/workers spec.template.spec.instanceType: m7g.large is not offered in any zone of eu-west-1',
    },
    { rule: 'of workers must be offered in one zone', answers: offeredIn('eu-west-1c') },
    {
      rule: 'of workers with a failure domain must be offered there',
      answers: offeredIn('eu-west-1c'),
      changed: { workers: { spec: { template: { spec: { failureDomain: 'eu-west-1a' } } } } },
      says: 'AWSMachineTemplate default/workers spec.template.spec.instanceType: m7g.large is not offered in eu-west-1a, where machines of MachineDeployment default/workers will be: choose another, or keep them to eu-west-1c',
    },
    {
      rule: 'of a control plane must be offered in each of its zones',
      answers: offeredIn('eu-west-1a', 'eu-west-1c'),
      changed: { controlPlaneTemplate: inTemplate({ instanceType: 'm7g.large' }) },
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec.instanceType: m7g.large is not offered in eu-west-1b',
    },
    {
      rule: 'of a control plane may be offered in its failure domains only',
      answers: offeredIn('eu-west-1a', 'eu-west-1c'),
      changed: {
        controlPlaneTemplate: inTemplate({ instanceType: 'm7g.large' }),
        awsCluster: {
          spec: {
            network: {
              subnets: [
                { id: 'a', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/24' },
                { id: 'c', availabilityZone: 'eu-west-1c', cidrBlock: '10.0.1.0/24' },
                { id: 'public-a', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.2.0/24', isPublic: true },
                { id: 'public-c', availabilityZone: 'eu-west-1c', cidrBlock: '10.0.3.0/24', isPublic: true },
              ],
            },
          },
        },
      },
    },
    {
      rule: 'in a named subnet must be offered there only',
      answers: offeredIn('eu-west-1b'),
      changed: { workersTemplate: inTemplate({ subnet: { id: 'demo-subnet-private-eu-west-1a' } }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.instanceType: m7g.large is not offered in eu-west-1a',
    },
    {
      rule: 'of the bastion must exist, too',
      changed: { awsCluster: { spec: { bastion: { enabled: true, instanceType: 't3.none' } } } },
      says: 'AWSCluster default/demo spec.bastion.instanceType: instance type t3.none does not exist',
    },
    { rule: 'of the bastion have a default', changed: { awsCluster: bastion } },
  ]);
});

describe('placement', () => {
  follows([
    {
      rule: 'refuses a failure domain without a subnet',
      changed: { workers: { spec: { template: { spec: { failureDomain: 'eu-west-1f' } } } } },
      says: 'MachineDeployment default/workers spec.template.spec.failureDomain: there is no private subnet in eu-west-1f: choose one of eu-west-1a, eu-west-1b, eu-west-1c',
    },
    {
      rule: 'refuses a public address without a public subnet',
      changed: {
        workersTemplate: inTemplate({ publicIP: true }),
        awsCluster: {
          spec: { network: { subnets: [{ id: 'a', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/24' }] } },
        },
      },
      says: 'AWSCluster default/demo spec.network.subnets: none is public, and NAT gateways need one: set isPublic: true on one in each zone, or add one; AWSCluster default/demo spec.network.subnets: none is public, and AWSMachineTemplate default/workers asks for one with spec.template.spec.publicIP',
    },
  ]);
});

describe('the metadata service', () => {
  follows([
    {
      rule: 'must not be disabled, because the machine could not read its bootstrap data',
      changed: { workersTemplate: inTemplate({ instanceMetadataOptions: { httpEndpoint: 'disabled' } }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.instanceMetadataOptions.httpEndpoint: ',
    },
    {
      rule: 'may be enabled',
      changed: { workersTemplate: inTemplate({ instanceMetadataOptions: { httpEndpoint: 'enabled' } }) },
    },
  ]);
});

describe('instance metadata tags', () => {
  follows([
    {
      rule: 'are refused, because no machine of a cluster could launch with them',
      changed: { workersTemplate: inTemplate({ instanceMetadataOptions: { instanceMetadataTags: 'enabled' } }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.instanceMetadataOptions.instanceMetadataTags: ',
    },
    {
      rule: 'may be disabled',
      changed: { workersTemplate: inTemplate({ instanceMetadataOptions: { instanceMetadataTags: 'disabled' } }) },
    },
  ]);
});

describe('launch options', () => {
  const at = 'AWSMachineTemplate default/workers spec.template.spec';
  const workers = (spec: object) => ({ workersTemplate: inTemplate({ instanceType: 't3.large', ...spec }) });
  const withFeatures = (features: string[], efa: boolean): Given['answers'] => ({
    DescribeInstanceTypes: ({ InstanceTypes }) => ({
      InstanceTypes: InstanceTypes.map((InstanceType) => ({
        InstanceType,
        VCpuInfo: { DefaultVCpus: 2 },
        MemoryInfo: { SizeInMiB: 8192 },
        ProcessorInfo: { SupportedArchitectures: ['x86_64'], SupportedFeatures: features },
        NetworkInfo: { EfaSupported: efa },
      })),
    }),
  });
  const none = withFeatures([], false);
  const all = withFeatures(['amd-sev-snp', 'nested-virtualization'], true);
  const encrypted = { cpuOptions: { confidentialCompute: 'AMDEncryptedVirtualizationNestedPaging' } };
  const nested = { cpuOptions: { nestedVirtualization: 'enabled' } };
  const efa = { networkInterfaceType: 'efa' };
  follows([
    {
      rule: 'with a partition must name its placement group',
      changed: workers({ placementGroupPartition: 2 }),
      says: `${at}.placementGroupPartition: placementGroupPartition is set but placementGroupName is empty`,
    },
    {
      rule: 'may name a partition of a placement group',
      changed: workers({ placementGroupPartition: 2, placementGroupName: 'racks' }),
    },
    {
      rule: 'of the spot market use no capacity reservation',
      changed: workers({ spotMarketOptions: {}, capacityReservationId: 'cr-0123' }),
      says: `${at}.capacityReservationId: capacityReservationID is incompatible with marketType spot and spotMarketOptions`,
    },
    {
      rule: 'of the spot market, named as a type, use none either',
      changed: workers({ marketType: 'Spot', capacityReservationId: 'cr-0123' }),
      says: `${at}.capacityReservationId: `,
    },
    {
      rule: 'ask for no IPv6 address in a network without',
      changed: workers({ assignPrimaryIPv6: 'enabled' }),
      says: `${at}.assignPrimaryIPv6: cannot enable PrimaryIPv6: VPC does not have IPv6 enabled`,
    },
    { rule: 'may do without an IPv6 address', changed: workers({ assignPrimaryIPv6: 'disabled' }) },
    {
      rule: 'ask for an adapter that the type has',
      changed: workers(efa),
      answers: none,
      says: `${at}.networkInterfaceType: instance type t3.large has no Elastic Fabric Adapter`,
    },
    {
      rule: 'ask for memory encryption that the type has',
      changed: workers(encrypted),
      answers: none,
      says: `${at}.cpuOptions.confidentialCompute: instance type t3.large has no AMD SEV-SNP`,
    },
    {
      rule: 'ask for nested virtualization that the type has',
      changed: workers(nested),
      answers: none,
      says: `${at}.cpuOptions.nestedVirtualization: instance type t3.large has no nested virtualization`,
    },
    { rule: 'may use an adapter', changed: workers(efa), answers: all },
    { rule: 'may use memory encryption', changed: workers(encrypted), answers: all },
    { rule: 'may use nested virtualization', changed: workers(nested), answers: all },
    { rule: 'are not judged by features that EC2 does not list', changed: workers({ ...efa, ...encrypted }) },
  ]);
});

describe('volumes', () => {
  const at = 'AWSMachineTemplate default/workers spec.template.spec';
  const root = (rootVolume: object) => ({ workersTemplate: inTemplate({ rootVolume: { size: 20, ...rootVolume } }) });
  const data = (...nonRootVolumes: object[]) => ({
    workersTemplate: inTemplate({
      nonRootVolumes: nonRootVolumes.map((volume, i) => ({ deviceName: `/dev/sd${'bcd'[i]}`, size: 20, ...volume })),
    }),
  });
  follows([
    { rule: 'may have the numbers of their type', changed: root({ type: 'gp3', iops: 4000, throughput: 500 }) },
    {
      rule: 'have no IOPS where the type has a fixed number',
      changed: root({ type: 'gp2', iops: 3000 }),
      says: `${at}.rootVolume.iops: a volume of type gp2 has no iops to set`,
    },
    {
      rule: 'have at least the IOPS of their type',
      changed: root({ type: 'gp3', iops: 100 }),
      says: `${at}.rootVolume.iops: a volume of type gp3 has 3000 to 80000, not 100`,
    },
    { rule: 'may be small with the baseline of IOPS', changed: data({ type: 'gp3', size: 1, iops: 3000 }) },
    {
      rule: 'have IOPS in proportion to their size',
      changed: data({ type: 'io1', size: 20, iops: 2000 }),
      says: `${at}.nonRootVolumes[0].iops: a volume of type io1 with 20 GiB has at most 1000, not 2000`,
    },
    {
      rule: 'have throughput in proportion to their IOPS',
      changed: root({ type: 'gp3', throughput: 1000 }),
      says: `${at}.rootVolume.throughput: a volume with 3000 IOPS has at most 750 MiB/s, not 1000`,
    },
    {
      rule: 'are as large as their type needs',
      changed: data({ type: 'st1' }),
      says: `${at}.nonRootVolumes[0].size: a volume of type st1 has 125 to 16384, not 20`,
    },
    {
      rule: 'to boot from are not hard disks',
      changed: root({ type: 'sc1', size: 200 }),
      says: `${at}.rootVolume.type: no machine boots from a volume of type sc1`,
    },
    {
      rule: 'have different names',
      changed: data({}, { deviceName: '/dev/sdb' }),
      says: `${at}.nonRootVolumes[1].deviceName: /dev/sdb is another volume's`,
    },
    {
      rule: 'have their type in small letters',
      changed: root({ type: 'GP3' }),
      says: `${at}.rootVolume.type: EC2 has no volumes of type GP3: choose gp3`,
    },
    {
      rule: 'have a type that EC2 knows',
      changed: data({ type: 'ssd' }),
      says: `${at}.nonRootVolumes[0].type: EC2 has no volumes of type ssd: choose standard or gp2 or`,
    },
    { rule: 'without a type are as the image says', changed: root({ iops: 5 }) },
  ]);
});

describe('images', () => {
  const noImage = { DescribeImages: () => ({ Images: [] }) };
  const named = inTemplate({ ami: { id: 'ami-0123' } });
  follows([
    {
      rule: 'must exist when named',
      verdict: 'absent',
      changed: { workersTemplate: named },
      answers: {
        DescribeImages: ({ ImageIds }) =>
          ImageIds ? refusal('InvalidAMIID.NotFound') : { Images: [imageOf('x86_64')] },
      },
      says: 'AWSMachineTemplate default/workers spec.template.spec.ami.id: image ami-0123 does not exist in eu-west-1',
    },
    {
      rule: 'must match the architecture of the type when named',
      changed: { workersTemplate: named },
      answers: { DescribeImages: () => ({ Images: [imageOf('x86_64')] }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.ami.id: image ami-x86_64 is for x86_64, and m7g.large is arm64',
    },
    {
      rule: 'must be available',
      changed: { workersTemplate: named },
      answers: {
        DescribeImages: ({ ImageIds }) => ({
          Images: [ImageIds ? imageOf('arm64', { State: 'pending' }) : imageOf('x86_64')],
        }),
      },
      says: 'AWSMachineTemplate default/workers spec.template.spec.ami.id: image ami-arm64 is pending',
    },
    {
      rule: 'must exist for the version',
      verdict: 'absent',
      answers: noImage,
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec: an image named capa-ami-ubuntu-24.04-?1.35.0-* of account 819546954734 for x86_64 was not found in eu-west-1: change spec.version of KubeadmControlPlane default/demo-cp, set ami.id, or',
    },
    {
      rule: 'are looked up for 64 bits when a type supports several architectures',
      changed: { workersTemplate: inTemplate({ instanceType: 't2.medium' }) },
    },
    {
      rule: 'cannot be looked up without a version',
      changed: { workers: { spec: { template: { spec: { version: null } } } } },
      says: 'MachineDeployment default/workers spec.template.spec.version: set it, so that an image can be looked up, or set AWSMachineTemplate default/workers spec.template.spec.ami.id',
    },
    {
      rule: 'need no version when named',
      changed: {
        workers: { spec: { template: { spec: { version: null } } } },
        workersTemplate: inTemplate({ ami: { id: 'ami-arm64' } }),
      },
    },
    {
      rule: 'must fit on the root volume',
      changed: { controlPlaneTemplate: inTemplate({ rootVolume: { size: 8 } }) },
      answers: {
        DescribeImages: () => ({
          Images: [imageOf('x86_64', { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20 } }] })],
        }),
      },
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec.rootVolume.size: image ami-x86_64 needs at least 20 GiB, not 8',
    },
    {
      rule: 'of a bastion with another architecture must be named',
      changed: { awsCluster: { spec: { bastion: { enabled: true, instanceType: 'm7g.large' } } } },
      says: 'AWSCluster default/demo spec.bastion.ami: image ami-x86_64 is for x86_64, and m7g.large is arm64',
    },
  ]);
});

describe('instance profiles and key pairs', () => {
  const noPairs = { DescribeKeyPairs: () => refusal('InvalidKeyPair.NotFound') };
  follows([
    {
      rule: 'must exist',
      verdict: 'absent',
      answers: { GetInstanceProfile: () => refusal('NoSuchEntity') },
      changed: {
        controlPlaneTemplate: inTemplate({
          iamInstanceProfile: null,
          cloudInit: { insecureSkipSecretsManager: true },
        }),
      },
      says: 'AWSMachineTemplate default/workers spec.template.spec.iamInstanceProfile: instance profile nodes.example does not exist: create it in IAM',
    },
    {
      rule: 'of a machine are refused where they are named',
      verdict: 'absent',
      answers: noPairs,
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec.sshKeyName: key pair default does not exist in eu-west-1',
    },
    {
      rule: 'of the cluster apply to machines and the bastion',
      verdict: 'absent',
      answers: noPairs,
      changed: {
        controlPlaneTemplate: inTemplate({ sshKeyName: '' }),
        awsCluster: { spec: { sshKeyName: 'mine', ...bastion.spec } },
      },
      says: 'AWSCluster default/demo spec.sshKeyName: key pair mine does not exist in eu-west-1',
    },
    {
      rule: 'are not needed with an empty name',
      answers: noPairs,
      changed: { controlPlaneTemplate: inTemplate({ sshKeyName: '' }), awsCluster: { spec: {} } },
    },
  ]);
});

describe('versions', () => {
  const workersAt = (version: string, more = {}) => ({
    workers: { spec: { template: { spec: { version, ...more } } }, ...more },
  });
  const otherBootstrap = { bootstrap: { configRef: null, dataSecretName: 'data' } };
  const at = 'MachineDeployment default/workers spec.template.spec.version:';
  follows([
    { rule: 'may differ in the patch version', changed: workersAt('v1.35.4') },
    {
      rule: 'of workers must not be newer',
      changed: workersAt('v1.36.0'),
      says: `${at} v1.36.0 is newer than v1.35.0`,
    },
    {
      rule: 'of kubelets may be three minor versions older',
      changed: { workers: { spec: { template: { spec: { version: 'v1.32.0', ...otherBootstrap } } } } },
      more: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'data' }, data: { value: 'YQ==' } } as KubeObject],
    },
    {
      rule: 'of kubelets must not be four minor versions older',
      changed: { workers: { spec: { template: { spec: { version: 'v1.31.0', ...otherBootstrap } } } } },
      says: `${at} v1.31.0 is more than 3 minor versions older than v1.35.0 of KubeadmControlPlane default/demo-cp: choose v1.32 or later`,
    },
    {
      rule: 'of kubeadm must be the minor version that it joins',
      changed: workersAt('v1.34.0'),
      says: `${at} kubeadm joins only a control plane of its own minor version, and v1.34.0`,
    },
    {
      rule: 'of kubeadm are not checked with the skip annotation',
      changed: {
        workers: {
          metadata: { annotations: { 'machineset.cluster.x-k8s.io/skip-preflight-checks': 'KubeadmVersionSkew' } },
          spec: { template: { spec: { version: 'v1.34.0' } } },
        },
      },
    },
    {
      rule: 'of kubeadm are supported from 1.22 on',
      changed: { controlPlane: { spec: { version: 'v1.21.0' } }, workers: null },
      says: 'KubeadmControlPlane default/demo-cp spec.version: kubeadm of v1.21.0 is not supported: choose v1.22.0 or later',
    },
    {
      rule: 'must have been released',
      changed: { controlPlane: { spec: { version: 'v1.30.99' } }, workers: null },
      says: 'KubeadmControlPlane default/demo-cp spec.version: v1.30.99 was never released: choose v1.30.14, the last of its minor',
    },
    {
      rule: 'may be the last of their minor',
      changed: { controlPlane: { spec: { version: 'v1.30.14' } }, workers: null },
    },
    {
      rule: 'may be builds of others',
      changed: { controlPlane: { spec: { version: 'v1.30.99-eks-1' } }, workers: null },
    },
    {
      rule: 'must be valid',
      changed: workersAt('latest'),
      says: `${at} latest is no version: write it like v1.35.0`,
    },
  ]);
});

const kubelet = (name: string, value: string) => ({ nodeRegistration: { kubeletExtraArgs: [{ name, value }] } });
const controlPlaneOf = (kubeadmConfigSpec: object, version = 'v1.35.0'): Given => ({
  changed: { controlPlane: { spec: { version, kubeadmConfigSpec } } },
});

const policyOf = (rules: string) => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: ${rules}\n`;
const audited = (files: object[]) => ({
  clusterConfiguration: {
    apiServer: {
      extraArgs: [{ name: 'audit-policy-file', value: '/etc/audit/policy.yaml' }],
      extraVolumes: [{ name: 'audit', hostPath: '/etc/audit', mountPath: '/etc/audit' }],
    },
  },
  files,
});

describe('flags', () => {
  follows([
    {
      rule: 'that the API server of the version does not have are refused',
      ...controlPlaneOf({
        clusterConfiguration: { apiServer: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } },
      }),
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs: kube-apiserver of v1.35 would exit: there is no flag --cloud-provider (the last release with it is v1.32): remove it',
    },
    {
      rule: 'that a kubelet refuses are refused where they are used',
      changed: {
        workersConfig: inTemplate({ joinConfiguration: kubelet('node-labels', 'node-role.kubernetes.io/a=') }),
      },
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs: kubelet of v1.35 would exit: a Node may not give itself the label node-role.kubernetes.io/a',
    },
    {
      rule: 'of components that only control planes run are not judged on workers',
      changed: {
        workersConfig: inTemplate({
          clusterConfiguration: { apiServer: { extraArgs: [{ name: 'no-such-flag', value: '' }] } },
          initConfiguration: kubelet('no-such-flag', ''),
        }),
      },
    },
    {
      rule: 'of images that are not the released ones are accepted, because they may know more',
      ...controlPlaneOf({
        clusterConfiguration: {
          imageRepository: 'registry.example.com/kubernetes',
          apiServer: { extraArgs: [{ name: 'vendor-flag', value: '' }] },
        },
      }),
    },
    {
      rule: 'may name files that are written and mounted',
      ...controlPlaneOf(audited([{ path: '/etc/audit/policy.yaml', content: policyOf('[{level: Metadata}]') }])),
    },
    {
      rule: 'that name files which the program refuses are refused',
      ...controlPlaneOf(audited([{ path: '/etc/audit/policy.yaml', content: policyOf('[]') }])),
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.files[0]: kube-apiserver of v1.35 would exit: it does not take /etc/audit/policy.yaml, which --audit-policy-file names: loaded illegal policy with 0 rules: correct /etc/audit/policy.yaml',
    },
    {
      rule: 'that name files which nothing writes are refused',
      ...controlPlaneOf(audited([])),
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs: kube-apiserver of v1.35 would exit: --audit-policy-file names /etc/audit/policy.yaml, and the host has no /etc/audit/policy.yaml: write /etc/audit/policy.yaml by files',
    },
    {
      rule: 'that name files in Secrets are judged by the Secrets',
      ...controlPlaneOf(
        audited([{ path: '/etc/audit/policy.yaml', contentFrom: { secret: { name: 'audit', key: 'policy' } } }]),
      ),
      more: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'audit', namespace: 'default' },
          data: { policy: Buffer.from(policyOf('[]')).toString('base64') },
        } as KubeObject,
      ],
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.files[0]: kube-apiserver of v1.35 would exit: it does not take /etc/audit/policy.yaml, which --audit-policy-file names: loaded illegal policy',
    },
    {
      rule: 'beside fields that kubeadm refuses are not looked at',
      ...controlPlaneOf({ initConfiguration: { localAPIEndpoint: { advertiseAddress: 'host' } } }),
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.initConfiguration.localAPIEndpoint.advertiseAddress: kubeadm of v1.35 would refuse this: host: ip address is not valid: change it',
    },
    {
      rule: 'and taints that a worker cannot register are refused',
      changed: {
        workersConfig: inTemplate({
          joinConfiguration: { nodeRegistration: { taints: [{ key: 'a', effect: 'Nope' }] } },
        }),
      },
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.joinConfiguration.nodeRegistration.taints: kubelet of v1.35 would exit: ',
    },
    {
      rule: 'and a network that kubeadm refuses are refused',
      changed: { cluster: { spec: { clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/25'] } } } } },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: kubeadm would refuse 192.168.0.0/25: the size of pod subnet with mask 25 is smaller',
    },
    {
      rule: 'with values that only the host knows are accepted',
      ...controlPlaneOf({
        initConfiguration: kubelet('node-labels', 'zone={{ ds.meta_data.placement.availability_zone }}'),
      }),
    },
    {
      rule: "that are kubeadm's own feature gates, and are gone, are refused",
      ...controlPlaneOf({ clusterConfiguration: { featureGates: { EtcdLearnerMode: true } } }),
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.clusterConfiguration.featureGates: kubeadm of v1.35 would refuse this: there is no feature gate EtcdLearnerMode (the last release with it is v1.32)',
    },
  ]);
});

describe('the Secrets of boot data', () => {
  const secret = (name: string, data: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    data,
  });
  const file = { path: '/etc/audit.yaml', contentFrom: { secret: { name: 'audit', key: 'policy' } } };
  const controlPlane = { spec: { kubeadmConfigSpec: { files: [{ path: '/etc/a', content: 'a' }, file] } } };
  const files = 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.files[1].contentFrom.secret';
  const users = 'KubeadmConfigTemplate default/workers spec.template.spec.users[0].passwdFrom.secret';
  const ownData = { spec: { template: { spec: { bootstrap: { configRef: null, dataSecretName: 'mine' } } } } };
  follows([
    {
      rule: 'are awaited for files',
      changed: { controlPlane },
      verdict: 'pending',
      says: `Waiting for Secret audit, which ${files} names`,
    },
    {
      rule: 'are awaited until they have the key',
      changed: { controlPlane },
      more: [secret('audit', { other: 'YQ==' })],
      verdict: 'pending',
      says: `Waiting for key policy of Secret audit, which ${files} names`,
    },
    {
      rule: 'are awaited for passwords',
      changed: {
        workersConfig: inTemplate({ users: [{ name: 'ops', passwdFrom: { secret: { name: 'ops', key: 'hash' } } }] }),
      },
      verdict: 'pending',
      says: `Waiting for Secret ops, which ${users} names`,
    },
    {
      rule: 'are awaited as a whole',
      changed: { workers: ownData },
      verdict: 'pending',
      says: 'Waiting for Secret mine, which MachineDeployment default/workers spec.template.spec.bootstrap.dataSecretName names',
    },
    {
      rule: 'suffice',
      changed: { controlPlane, workers: ownData },
      more: [secret('audit', { policy: 'YQ==' }), secret('mine', { value: 'YQ==' })],
    },
  ]);
});

describe('hosts', () => {
  const small: Given['answers'] = {
    DescribeInstanceTypes: ({ InstanceTypes }) => ({
      InstanceTypes: InstanceTypes.map((InstanceType) => ({
        InstanceType,
        VCpuInfo: { DefaultVCpus: InstanceType === 't3.large' ? 1 : 2 },
        MemoryInfo: { SizeInMiB: 2048 },
        ProcessorInfo: { SupportedArchitectures: [InstanceType === 'm7g.large' ? 'arm64' : 'x86_64'] },
      })),
    }),
  };
  const published = { OwnerId: '819546954734' };
  const images = (changed: object): Given['answers'] => ({
    DescribeImages: ({ Filters }) => ({
      Images: [
        imageOf(
          Filters?.find(({ Name }) => Name === 'architecture')?.Values[0] === 'arm64' ? 'arm64' : 'x86_64',
          changed,
        ),
      ],
    }),
  });
  const workers = (joinConfiguration: object, more = {}) => ({
    workersConfig: inTemplate({ joinConfiguration, ...more }),
  });
  const crio = { nodeRegistration: { criSocket: 'unix:///var/run/crio/crio.sock' } };
  const owned = { files: [{ path: '/a', content: 'a', owner: 'app' }] };
  const at = 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.initConfiguration.nodeRegistration';
  const ignores = { nodeRegistration: { ignorePreflightErrors: ['NumCPU'] } };
  follows([
    {
      rule: 'of a control plane have two processors',
      answers: small,
      says: `${at}.ignorePreflightErrors: kubeadm of v1.35 would refuse this: its check NumCPU fails: the number of available CPUs 1 is less than the required 2: choose an instance type with more, or list NumCPU here`,
    },
    {
      rule: 'of a control plane may have one processor where kubeadm ignores it',
      answers: small,
      changed: {
        controlPlane: { spec: { kubeadmConfigSpec: { initConfiguration: ignores, joinConfiguration: ignores } } },
      },
    },
    {
      rule: 'have no dockershim',
      changed: workers({ nodeRegistration: { criSocket: '/var/run/dockershim.sock' } }),
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.joinConfiguration.nodeRegistration.criSocket: kubeadm of v1.35 would refuse this: its check CRI fails',
    },
    {
      rule: 'with an image of the AWS provider have its container runtime only',
      answers: images(published),
      changed: workers(crio),
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.joinConfiguration.nodeRegistration.criSocket: ',
    },
    { rule: 'with an image of the user may have another runtime', changed: workers(crio) },
    {
      rule: 'with an image of the AWS provider have its users only',
      answers: images(published),
      changed: workers({}, owned),
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.files[0].owner: cloud-init would write no further files, and kubeadm would find none: the image has no user or group app when /a is written, which is before users are made',
    },
    { rule: 'with an image of the user may have other users', changed: workers({}, owned) },
  ]);
});

describe('user data in plain sight', () => {
  const plain = { cloudInit: { insecureSkipSecretsManager: true } };
  const random = (bytes: number) =>
    Array.from({ length: bytes / 16 }, (_, i) =>
      createHash('md5').update(String(i)).digest('base64').slice(0, 16),
    ).join('');
  const files = (content: string) => ({ files: [{ path: '/etc/data', content }] });
  const at = 'spec.template.spec.cloudInit.insecureSkipSecretsManager: the user data of';
  follows([
    { rule: 'may be small', changed: { workersTemplate: inTemplate(plain), workersConfig: inTemplate(files('a')) } },
    {
      rule: 'is compressed',
      changed: { workersTemplate: inTemplate(plain), workersConfig: inTemplate(files('a'.repeat(30_000))) },
    },
    {
      rule: 'is refused when EC2 would refuse it',
      changed: { workersTemplate: inTemplate(plain), workersConfig: inTemplate(files(random(24_000))) },
      says: `AWSMachineTemplate default/workers ${at} MachineDeployment default/workers has at least`,
    },
    {
      rule: 'is refused without its compression',
      changed: {
        workersTemplate: inTemplate({ ...plain, uncompressedUserData: true }),
        workersConfig: inTemplate(files('a'.repeat(17_000))),
      },
      says: `AWSMachineTemplate default/workers ${at} MachineDeployment default/workers has at least`,
    },
    {
      rule: 'has the authorities of a control plane, too',
      changed: {
        controlPlaneTemplate: inTemplate(plain),
        controlPlane: { spec: { kubeadmConfigSpec: files(random(14_000)) } },
      },
      says: `AWSMachineTemplate default/demo-cp ${at} KubeadmControlPlane default/demo-cp has at least`,
    },
    { rule: 'may be long in a secret', changed: { workersConfig: inTemplate(files(random(24_000))) } },
  ]);
});

describe('boot data', () => {
  const without = (more: object) => inTemplate({ iamInstanceProfile: null, ...more });
  follows([
    {
      rule: 'cannot be fetched without an instance profile',
      changed: { workersTemplate: without({}) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.iamInstanceProfile: there is none, and without one a machine cannot fetch its bootstrap data',
    },
    {
      rule: 'needs no instance profile in plain user data',
      changed: { workersTemplate: without({ cloudInit: { insecureSkipSecretsManager: true } }) },
    },
  ]);
});
