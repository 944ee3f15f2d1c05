/** Rules of the AWS provider's webhooks and schemas for machines and their templates (webhooks of 2.11). */
import { type AcceptedHere, placed, type UpstreamRule } from './rule.ts';
import { ofTags, tags } from './tags.ts';

const machine = (spec: object) => ({ spec });
const template = (spec: object) => ({ spec: { template: { spec } } });
const machines: { kind: string; at: string; patch: (spec: object) => object }[] = [
  { kind: 'AWSMachine', at: 'spec', patch: machine },
  { kind: 'AWSMachineTemplate', at: 'spec.template.spec', patch: template },
];

const host = 'h-0123456789abcdef0';
const volume = (of: object) => ({ rootVolume: { size: 20, ...of } });
const further = (of: object) => ({ nonRootVolumes: [{ size: 20, deviceName: '/dev/sdf', ...of }] });
/** Rules for machines and for their templates. */
const ofMachines: { refuses: string; spec: object; says: string }[] = [
  ...ofTags.map(({ additionalTags, refuses, says }) => ({ refuses, spec: { additionalTags }, says })),
  ...(['secretPrefix', 'secureSecretsBackend'] as const).map((field) => ({
    refuses: `${field} where no secret is made`,
    spec: {
      cloudInit: {
        insecureSkipSecretsManager: true,
        [field]: field === 'secretPrefix' ? 'p' : 'secrets-manager',
      },
    },
    says: `cloudInit.${field}: Forbidden: cannot be set if spec.cloudInit.insecureSkipSecretsManager is true`,
  })),
  {
    refuses: 'secretCount where no secret is made',
    spec: { cloudInit: { insecureSkipSecretsManager: true, secretCount: 1 } },
    says: 'cloudInit.secretCount: Forbidden: cannot be set if spec.cloudInit.insecureSkipSecretsManager is true',
  },
  {
    refuses: 'a prefix of secrets without a count',
    spec: { cloudInit: { secretPrefix: 'p' } },
    says: 'cloudInit.secretCount: Forbidden: must be set together with',
  },
  {
    refuses: 'a count of secrets without a prefix',
    spec: { cloudInit: { secretCount: 1 } },
    says: 'cloudInit.secretCount: Forbidden: must be set together with',
  },
  {
    refuses: 'cloud-init beside Ignition',
    spec: { ignition: { version: '3.4' }, cloudInit: { insecureSkipSecretsManager: true } },
    says: 'cloudInit: Forbidden: cannot be set if spec.ignition is set',
  },
  ...['2.3', '3.0'].flatMap((version) => [
    {
      refuses: `a proxy in Ignition ${version}`,
      spec: { ignition: { version, proxy: { httpProxy: 'http://proxy' } } },
      says: 'ignition.proxy: Forbidden: cannot be set if spec.ignition.version is 2.3 or 3.0',
    },
    {
      refuses: `certificate authorities in Ignition ${version}`,
      spec: { ignition: { version, tls: { certificateAuthorities: ['https://example.com/ca.pem'] } } },
      says: 'ignition.tls: Forbidden: cannot be set if spec.ignition.version is 2.3 or 3.0',
    },
  ]),
  { refuses: 'io1 without iops', spec: volume({ type: 'io1' }), says: 'rootVolume.iops: Required value' },
  { refuses: 'io2 without iops', spec: volume({ type: 'io2' }), says: 'rootVolume.iops: Required value' },
  {
    refuses: 'throughput on gp2',
    spec: volume({ type: 'gp2', throughput: 200 }),
    says: "rootVolume.throughput: Required value: throughput is valid only for type 'gp3'",
  },
  {
    refuses: 'too little throughput',
    spec: volume({ type: 'gp3', throughput: 124 }),
    says: 'throughput must be between 125 and 2000',
  },
  {
    refuses: 'too much throughput',
    spec: volume({ type: 'gp3', throughput: 2001 }),
    says: 'throughput must be between 125 and 2000',
  },
  {
    refuses: 'io1 without iops for another volume',
    spec: further({ type: 'io1' }),
    says: 'nonRootVolumes[0].iops: Required value',
  },
  {
    refuses: 'throughput on gp2 for another volume',
    spec: further({ type: 'gp2', throughput: 200 }),
    says: 'nonRootVolumes[0].throughput: Required value',
  },
  {
    refuses: 'throughput below zero for another volume',
    spec: further({ type: 'gp3', throughput: -1 }),
    says: 'nonRootVolumes[0].throughput: Invalid value: -1',
  },
  {
    refuses: 'another volume without a device',
    spec: { nonRootVolumes: [{ size: 20 }] },
    says: 'nonRootVolumes[0].deviceName: Required value: non root volume should have device name',
  },
  {
    refuses: 'a key pair whose name begins with a space',
    spec: { sshKeyName: ' key' },
    says: 'sshKeyName: Invalid value: " key": Name is invalid',
  },
  {
    refuses: 'a key pair whose name is not ASCII',
    spec: { sshKeyName: 'schlüssel' },
    says: 'sshKeyName: Invalid value: "schlüssel": Name is invalid',
  },
  {
    refuses: 'a security group by id and by filters',
    spec: { additionalSecurityGroups: [{ id: 'sg-1', filters: [{ name: 'n', values: ['v'] }] }] },
    says: 'only one of ID or Filters may be specified',
  },
  {
    refuses: 'two ways to a dedicated host',
    spec: { tenancy: 'host', hostAffinity: 'host', hostID: host, dynamicHostAllocation: {} },
    says: 'hostID: Forbidden: hostID and dynamicHostAllocation are mutually exclusive',
  },
  {
    refuses: 'a dedicated host of another tenancy',
    spec: { hostID: host },
    says: "hostID: Forbidden: hostID can only be set when tenancy is 'host'",
  },
  {
    refuses: 'affinity to a host of another tenancy',
    spec: { hostAffinity: 'host' },
    says: "hostAffinity: Forbidden: hostAffinity can only be set to 'host' when tenancy is 'host'",
  },
  {
    refuses: 'an allocated host of another tenancy',
    spec: { dynamicHostAllocation: {}, hostAffinity: 'host' },
    says: "dynamicHostAllocation: Forbidden: dynamicHostAllocation can only be set when tenancy is 'host'",
  },
  {
    refuses: 'an allocated host that instances may leave',
    spec: { dynamicHostAllocation: {}, tenancy: 'host' },
    says: "dynamicHostAllocation: Forbidden: dynamicHostAllocation can only be set when hostAffinity is 'host'",
  },
  {
    refuses: 'an order to fall back without a pool',
    spec: { publicIP: true, elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } },
    says: 'publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined',
  },
  // Rules of the schema.
  {
    refuses: 'a reservation for spot capacity',
    spec: { capacityReservationId: 'cr-0123456789abcdef0', marketType: 'Spot' },
    says: 'capacityReservationId may not be set when marketType is Spot',
  },
  {
    refuses: 'a reservation beside spot options',
    spec: { capacityReservationId: 'cr-0123456789abcdef0', spotMarketOptions: {} },
    says: 'capacityReservationId cannot be set when spotMarketOptions is specified',
  },
  {
    refuses: 'a preference that there is not',
    spec: { capacityReservationPreference: 'Perhaps' },
    says: 'capacityReservationPreference: Unsupported value: "Perhaps"',
  },
  {
    refuses: 'an order to fall back that there is not',
    spec: { publicIP: true, elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1', publicIpv4PoolFallbackOrder: 'any' } },
    says: 'elasticIpPool.publicIpv4PoolFallbackOrder: Unsupported value: "any"',
  },
  // CAPA rejects these for AWSMachines only; with such a template, each of its machines would be rejected.
  {
    refuses: 'an address from a pool where there is no public one',
    spec: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1', publicIpv4PoolFallbackOrder: 'none' } },
    says: 'elasticIpPool: Required value: publicIP must be true',
  },
  {
    refuses: 'a pool of addresses without an order to fall back',
    spec: { publicIP: true, elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1' } },
    says: 'publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined',
  },
  {
    refuses: 'a pool of addresses that is not of EC2',
    spec: { publicIP: true, elasticIpPool: { publicIpv4Pool: 'mine', publicIpv4PoolFallbackOrder: 'none' } },
    says: 'publicIpv4Pool must start with ipv4pool-ec2-',
  },
  ...['CapacityBlock', 'OnDemand'].map((marketType) => ({
    refuses: `spot options in the market ${marketType}`,
    spec: { marketType, spotMarketOptions: {} },
    says: `marketType set to ${marketType} and spotMarketOptions cannot be used together`,
  })),
  {
    refuses: 'a capacity block without a reservation',
    spec: { marketType: 'CapacityBlock' },
    says: 'capacityReservationId: Required value: is required when CapacityBlock is provided',
  },
  {
    refuses: 'a reservation, and to prefer none',
    spec: { capacityReservationId: 'cr-0123456789abcdef0', capacityReservationPreference: 'None' },
    says: "capacityReservationPreference may only be 'CapacityReservationsOnly' or empty",
  },
  {
    refuses: 'reservations only in the spot market',
    spec: { capacityReservationPreference: 'CapacityReservationsOnly', marketType: 'Spot' },
    says: "cannot be 'CapacityReservationsOnly' when marketType is 'Spot'",
  },
  {
    refuses: 'reservations only beside spot options',
    spec: { capacityReservationPreference: 'CapacityReservationsOnly', spotMarketOptions: {} },
    says: "cannot be 'CapacityReservationsOnly' when spotMarketOptions is set",
  },
];
export const awsMachineRules: UpstreamRule[] = [
  ...machines.flatMap(({ kind, at, patch }) =>
    ofMachines.map(({ refuses, spec, says }) => ({
      kind,
      refuses,
      with: patch(spec),
      says: placed(at, says),
    })),
  ),
  ...[{ instanceType: 'm5.large' }, { privateDnsName: { hostnameType: 'ip-name' } }, { publicIP: true }].map(
    (spec) => ({
      kind: 'AWSMachine',
      refuses: `a change of ${Object.keys(spec)[0]}`,
      stored: {},
      with: machine(spec),
      says: 'spec: Forbidden: cannot be modified',
    }),
  ),
  {
    kind: 'AWSMachine',
    refuses: '51 tags later',
    stored: {},
    with: machine({ additionalTags: tags(51) }),
    says: 'user created tags cannot be more than 50',
  },
  ...[
    { field: 'providerID', spec: { providerID: 'aws:///a/i-1' } },
    { field: 'cloudInit.secretPrefix', spec: { cloudInit: { secretPrefix: 'p', secretCount: 1 } } },
    { field: 'cloudInit.secretCount', spec: { cloudInit: { secretPrefix: 'p', secretCount: 1 } } },
  ].map(({ field, spec }) => ({
    kind: 'AWSMachineTemplate',
    refuses: `${field}, which every machine has for itself`,
    with: template(spec),
    says: `spec.template.spec.${field}: Forbidden: cannot be set in templates`,
  })),
  {
    kind: 'AWSMachineTemplate',
    refuses: 'affinity to no host',
    with: template({ tenancy: 'host', hostAffinity: 'host' }),
    says: 'spec.template.spec.hostID: Required value: hostID or dynamicHostAllocation must be set',
  },
  {
    kind: 'AWSMachineTemplate',
    refuses: 'any change of the spec of its machines',
    stored: {},
    with: template({ instanceType: 'm5.large' }),
    says: 'AWSMachineTemplate.Spec is immutable',
  },
  {
    kind: 'AWSMachineTemplate',
    refuses: 'a change of metadata options',
    stored: template({ instanceMetadataOptions: { httpTokens: 'optional' } }),
    with: template({ instanceMetadataOptions: { httpTokens: 'required' } }),
    says: 'AWSMachineTemplate.Spec is immutable',
  },
];

export const awsMachineAccepted: AcceptedHere[] = [
  {
    kind: 'AWSMachineTemplate',
    refuses: 'any change of the spec of its machines, but for metadata options where it has none',
    stored: {},
    with: template({ instanceMetadataOptions: { httpTokens: 'required' } }),
    why: 'upstream makes the same exception',
  },
];
