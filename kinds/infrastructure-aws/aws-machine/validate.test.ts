import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/index.ts';
import { validate as validateTemplate } from '../aws-machine-template/validate.ts';
import { withDefaults } from './defaults.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';
import { validate } from './validate.ts';

type Spec = Partial<AWSMachineSpec>;
const machine = (spec: Spec): AWSMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'm', namespace: 'default' },
  spec: { instanceType: 't3.large', ...spec },
});
const template = (spec: Spec, annotations?: Record<string, string>): AWSMachineTemplate => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachineTemplate',
  metadata: { name: 't', namespace: 'default', ...(annotations && { annotations }) },
  spec: { template: { spec: { instanceType: 't3.large', ...spec } } },
});
const admission = (old?: Admission['old'], dryRun = false): Admission => ({
  operation: old ? 'update' : 'create',
  ...(old && { old }),
  user: { username: 'u', groups: [] },
  dryRun,
});
const faults = (spec: Spec, old?: Spec) =>
  validate(machine(spec), admission(old && machine(old))).map(({ field, detail }) => `${field}: ${detail}`);
const host = 'h-0123456789abcdef0';

describe('defaults', () => {
  it.each([
    {
      rule: 'store bootstrap data in Secrets Manager',
      spec: {},
      has: { cloudInit: { secureSecretsBackend: 'secrets-manager' } },
    },
    {
      rule: 'require session tokens for the metadata service',
      spec: {},
      has: { instanceMetadataOptions: { httpTokens: 'required', httpEndpoint: 'enabled' } },
    },
    {
      rule: 'keep a weaker setting of the user',
      spec: { instanceMetadataOptions: { httpTokens: 'optional' } },
      has: { instanceMetadataOptions: { httpTokens: 'optional' } },
    },
    {
      rule: 'set the storage of Ignition',
      spec: { ignition: {} },
      has: { ignition: { storageType: 'ClusterObjectStore', version: '2.3' } },
    },
  ] as { rule: string; spec: Spec; has: object }[])('$rule', ({ spec, has }) => {
    const once = withDefaults(machine(spec));
    expect(once.spec).toMatchObject(has);
    expect(withDefaults(once)).toEqual(once);
  });
});

describe('a new AWSMachine', () => {
  it.each([
    { rule: 'may be minimal', spec: {}, says: [] },
    {
      rule: 'must set IOPS for io volumes',
      spec: { rootVolume: { size: 8, type: 'io1' } },
      says: ["spec.rootVolume.iops: iops required if type is 'io1' or 'io2'"],
    },
    {
      rule: 'may set throughput on gp3 only',
      spec: { rootVolume: { size: 8, type: 'gp2', throughput: 200 } },
      says: ["spec.rootVolume.throughput: throughput is valid only for type 'gp3'"],
    },
    {
      rule: 'must keep throughput within bounds',
      spec: { rootVolume: { size: 8, type: 'gp3', throughput: 5000 } },
      says: ['spec.rootVolume.throughput: throughput must be between 125 and 2000 MiB/s'],
    },
    {
      rule: 'must not have a proxy or TLS settings with Ignition 3.0',
      spec: { ignition: { version: '3.0', tls: {}, proxy: {} } },
      says: [
        'spec.ignition.proxy: cannot be set if spec.ignition.version is 2.3 or 3.0',
        'spec.ignition.tls: cannot be set if spec.ignition.version is 2.3 or 3.0',
      ],
    },
    {
      rule: 'must name the device of data volumes',
      spec: { nonRootVolumes: [{ size: 8 }] },
      says: ['spec.nonRootVolumes[0].deviceName: non root volume should have device name'],
    },
    {
      rule: 'must not mix two kinds of dedicated host',
      spec: { tenancy: 'host', hostAffinity: 'host', hostID: host, dynamicHostAllocation: {} },
      says: [
        'spec.hostID: hostID and dynamicHostAllocation are mutually exclusive',
        'spec.dynamicHostAllocation: hostID and dynamicHostAllocation are mutually exclusive',
      ],
    },
    {
      rule: 'must have host tenancy for dedicated hosts',
      spec: { hostID: host },
      says: ["spec.hostID: hostID can only be set when tenancy is 'host'"],
    },
    {
      rule: 'must have a reservation for capacity blocks',
      spec: { marketType: 'CapacityBlock' },
      says: ['spec.capacityReservationId: is required when CapacityBlock is provided'],
    },
    {
      rule: 'must have a known capacity reservation preference',
      spec: { capacityReservationPreference: 'Perhaps' },
      says: ['spec.capacityReservationPreference: supported values: "", "None", "CapacityReservationsOnly", "Open"'],
    },
    {
      rule: 'must select a security group by ID or by filters',
      spec: { additionalSecurityGroups: [{ id: 'sg', filters: [{ name: 'n', values: ['v'] }] }] },
      says: [
        'spec.additionalSecurityGroups[0]: only one of ID or Filters may be specified, specifying both is forbidden',
      ],
    },
    {
      rule: 'must name its key pair in ASCII',
      spec: { sshKeyName: 'schlüssel' },
      says: ['spec.sshKeyName: Name is invalid. Must be specified in ASCII and must not start or end in whitespace'],
    },
    {
      rule: 'must have an address pool for its fallback order',
      spec: { publicIP: true, elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } },
      says: [
        'spec.elasticIpPool.publicIpv4Pool: publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined.',
      ],
    },
    {
      rule: 'must not have an Elastic IP without a public address',
      spec: { elasticIpPool: {} },
      says: ["spec.elasticIpPool: publicIP must be true for an address of the machine's own"],
    },
    {
      rule: 'may have an Elastic IP in a public subnet',
      spec: { elasticIpPool: {}, publicIP: true },
      says: [],
    },
    {
      rule: 'must not name a key pair with a leading space',
      spec: { sshKeyName: ' key' },
      says: ['spec.sshKeyName: Name is invalid. Must be specified in ASCII and must not start or end in whitespace'],
    },
    { rule: 'may name a key pair with spaces', spec: { sshKeyName: 'key of the team' }, says: [] },
    {
      rule: 'must have no secrets when they are disabled',
      spec: { cloudInit: { insecureSkipSecretsManager: true, secureSecretsBackend: 'secrets-manager' } },
      says: ['spec.cloudInit.secureSecretsBackend: cannot be set if spec.cloudInit.insecureSkipSecretsManager is true'],
    },
  ] as { rule: string; spec: Spec; says: string[] }[])('$rule', ({ spec, says }) => expect(faults(spec)).toEqual(says));
});

describe('an existing AWSMachine', () => {
  it.each([
    { rule: 'may get its instance', spec: { providerID: 'p', instanceID: 'i' }, says: [] },
    { rule: 'may get its secrets', spec: { cloudInit: { secretPrefix: 'p', secretCount: 1 } }, says: [] },
    { rule: 'may change its additional tags', spec: { additionalTags: { a: 'b' } }, says: [] },
    { rule: 'may change its security groups', spec: { additionalSecurityGroups: [{ id: 'sg' }] }, says: [] },
    { rule: 'may change its DNS records', spec: { privateDnsName: { enableResourceNameDnsARecord: true } }, says: [] },
    { rule: 'must keep everything else', spec: { instanceType: 'm5.large' }, says: ['spec: cannot be modified'] },
    {
      rule: 'must keep the type of its host name',
      spec: { privateDnsName: { hostnameType: 'ip-name' } },
      says: ['spec: cannot be modified'],
    },
  ] as { rule: string; spec: Spec; says: string[] }[])('$rule', ({ spec, says }) =>
    expect(faults(spec, {})).toEqual(says));

  it('must keep its spec', () => {
    const { spec: _, ...nothing } = machine({});
    expect(validate(nothing, admission(machine({})))).toMatchObject([{ field: 'spec', detail: 'cannot be modified' }]);
    expect(validate(nothing, admission(nothing))).toEqual([]);
  });
});

it('keeps an unreachable address in an existing object', () => {
  const unreached = { elasticIpPool: {} };
  expect(faults(unreached, unreached)).toEqual([]);
  expect(validateTemplate(template(unreached), admission(template(unreached)))).toEqual([]);
});

describe('an AWSMachineTemplate', () => {
  const says = (object: AWSMachineTemplate, given = admission()) =>
    validateTemplate(object, given).map(({ field, detail }) => `${field}: ${detail}`);
  it.each([
    {
      rule: 'must not name an instance',
      spec: { providerID: 'p' },
      field: 'spec.template.spec.providerID: cannot be set in templates',
    },
    {
      rule: 'must not name a secret',
      spec: { cloudInit: { secretPrefix: 'p', secretCount: 1 } },
      field: 'spec.template.spec.cloudInit.secretPrefix: cannot be set in templates',
    },
    {
      rule: 'must not request an unreachable address',
      spec: { elasticIpPool: {} },
      field: "spec.template.spec.elasticIpPool: publicIP must be true for an address of the machine's own",
    },
  ])('$rule', ({ spec, field }) => expect(says(template(spec))).toContain(field));
  it('is immutable', () =>
    expect(says(template({ instanceType: 'm5.large' }), admission(template({})))).toEqual([
      'spec.template.spec: AWSMachineTemplate.Spec is immutable',
    ]));
  it('must keep its spec', () => {
    const { spec: _, ...nothing } = template({});
    expect(says(nothing, admission(template({})))).toEqual([
      'spec.template.spec: AWSMachineTemplate.Spec is immutable',
    ]);
    expect(says(nothing, admission(nothing))).toEqual([]);
  });
  it('may change in a dry run of a topology', () => {
    const changed = template({ instanceType: 'm5.large' }, { 'topology.cluster.x-k8s.io/dry-run': '' });
    expect(says(changed, admission(template({}), true))).toEqual([]);
  });
});

describe('a fallback from the spot market', () => {
  const at = 'metadata.annotations[capstan.dev/spot-fallback]';
  const annotated = (value: string) => ({ 'capstan.dev/spot-fallback': value });
  const inSpot: Spec = { marketType: 'Spot' };
  const cases: { rule: string; value: string; spec: Spec; faults: string[] }[] = [
    { rule: 'goes to the on-demand market', value: 'OnDemand', spec: inSpot, faults: [] },
    {
      rule: 'goes nowhere else',
      value: 'true',
      spec: inSpot,
      faults: [`${at}: supported values: "OnDemand"`],
    },
    {
      rule: 'is of machines of the spot market only',
      value: 'OnDemand',
      spec: {},
      faults: [`${at}: only a machine of the spot market has a fallback from it`],
    },
  ];
  it.each(cases)('$rule', ({ value, spec, faults: expected }) => {
    const object = machine(spec);
    const single = { ...object, metadata: { ...object.metadata, annotations: annotated(value) } };
    const textsOf = (all: { field: string; detail?: string }[]) =>
      all.map(({ field, detail }) => `${field}: ${detail}`);
    expect(textsOf(validate(single, admission()))).toEqual(expected);
    const { spec: made, ...one } = template(spec);
    const whole = { ...one, spec: { template: { ...made!.template, metadata: { annotations: annotated(value) } } } };
    expect(textsOf(validateTemplate(whole as AWSMachineTemplate, admission()))).toEqual(
      expected.map((fault) => `spec.template.${fault}`),
    );
  });
  it('belongs to the machines of a template', () =>
    expect(validateTemplate(template(inSpot, annotated('OnDemand')), admission())).toMatchObject([
      { field: at, detail: 'belongs in spec.template.metadata.annotations' },
    ]));
});

describe('a maximum price for spot capacity', () => {
  const priced = (maxPrice: string): Spec => ({ spotMarketOptions: { maxPrice } });
  it.each(['', '0.05', '.05', '1', '12.345'])('may be %j', (maxPrice) => expect(faults(priced(maxPrice))).toEqual([]));
  it.each(['0', '0.0', '-1', '$0.05', '0,05', '1e-2', ' 1', 'cheap'])('may not be %j', (maxPrice) =>
    expect(faults(priced(maxPrice))).toEqual([
      "spec.spotMarketOptions.maxPrice: must be a price in US dollars an hour, such as '0.05', or empty for the on-demand price",
    ]));
  it('is validated in templates, and not in objects that exist', () => {
    expect(validateTemplate(template(priced('cheap')), admission())[0]?.field).toBe(
      'spec.template.spec.spotMarketOptions.maxPrice',
    );
    expect(faults(priced('cheap'), priced('cheap'))).toEqual([]);
  });
});
