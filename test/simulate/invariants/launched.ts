/** A machine is launched as its AWSMachine says, and what it boots with is kept where that says. */
import type { AWSMachine, AWSMachineSpec } from '../../../kinds/aws-machine/index.ts';
import type { RunInstancesInput } from '../../../kinds/ports/cloud.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'launched';
const machineName = 'MachineName';
const machineUid = 'capstan.dev/machine-uid';

type Tags = readonly { Key: string; Value: string }[];
const tagOf = (tags: Tags | undefined, key: string) => tags?.find(({ Key }) => Key === key)?.Value;

const yesOrNo = (is: boolean | undefined) => (is === undefined ? undefined : is ? 'enabled' : 'disabled');

/** What EC2 has to be asked for, by what it is about; undefined where it is left to EC2. */
const wantedOf = (spec: AWSMachineSpec) => ({
  type: spec.instanceType,
  tenancy: spec.tenancy,
  'instance profile': spec.iamInstanceProfile,
  'hop limit': spec.instanceMetadataOptions?.httpPutResponseHopLimit ?? 1,
  'tags from inside': spec.instanceMetadataOptions?.instanceMetadataTags ?? 'disabled',
  'kind of host name': spec.privateDnsName?.hostnameType,
  'name by its id': yesOrNo(spec.privateDnsName?.enableResourceNameDnsARecord),
  'nested virtualization': spec.cpuOptions?.nestedVirtualization,
  key: spec.sshKeyName || undefined,
  'kind of interface': spec.networkInterfaceType === 'efa' ? 'efa' : undefined,
  'placement group': spec.placementGroupName,
});
const askedIn = ({
  InstanceType,
  Placement,
  IamInstanceProfile,
  MetadataOptions,
  PrivateDnsNameOptions,
  CpuOptions,
  KeyName,
  NetworkInterfaces,
}: RunInstancesInput): Record<string, unknown> => ({
  type: InstanceType,
  tenancy: Placement?.Tenancy,
  'instance profile': IamInstanceProfile?.Name,
  'hop limit': MetadataOptions?.HttpPutResponseHopLimit,
  'tags from inside': MetadataOptions?.InstanceMetadataTags,
  'kind of host name': PrivateDnsNameOptions?.HostnameType,
  'name by its id': yesOrNo(PrivateDnsNameOptions?.EnableResourceNameDnsARecord),
  'nested virtualization': CpuOptions?.NestedVirtualization,
  key: KeyName,
  'kind of interface': NetworkInterfaces?.[0]?.InterfaceType,
  'placement group': Placement?.GroupName,
});

/** Encrypted unless it says otherwise, and gone with the machine; the first as its image has it, where nothing is said of it. */
const volumesOf = ({ rootVolume, nonRootVolumes = [] }: AWSMachineSpec, image: RunInstancesInput) => {
  const [root] = image.BlockDeviceMappings ?? [];
  const first = { deviceName: root?.DeviceName, size: root?.Ebs?.VolumeSize, ...rootVolume };
  return [first as Partial<NonNullable<typeof rootVolume>>, ...nonRootVolumes].map(
    ({ deviceName, size, type, iops, throughput, encrypted = true, encryptionKey }) => {
      return { deviceName, size, type, iops, throughput, encrypted, encryptionKey, endsWithIt: true };
    },
  );
};
const volumesIn = ({ BlockDeviceMappings = [] }: RunInstancesInput) =>
  BlockDeviceMappings.map(({ DeviceName: deviceName, Ebs }) => ({
    deviceName,
    size: Ebs?.VolumeSize,
    type: Ebs?.VolumeType,
    iops: Ebs?.Iops,
    throughput: Ebs?.Throughput,
    encrypted: Ebs?.Encrypted,
    encryptionKey: Ebs?.KmsKeyId,
    endsWithIt: Ebs?.DeleteOnTermination,
  }));

export const launched = ({ world }: Setting): Invariant => {
  const machineOf = (tags: Tags | undefined): AWSMachine | undefined => {
    const [namespace = '', name = ''] = (tagOf(tags, machineName) ?? '').split('/');
    const machine = world.mirror.get<AWSMachine>('AWSMachine', namespace, name);
    return machine?.metadata.uid === tagOf(tags, machineUid) ? machine : undefined;
  };
  const expectLaunch = (input: RunInstancesInput, { metadata, spec }: AWSMachine) => {
    const fail = (what: string, wanted: unknown, asked: unknown) => {
      const [one, other] = [JSON.stringify(wanted), JSON.stringify(asked)];
      throw new Violation(rule, `${what} of ${metadata.name} is to be ${one}, and ${other} is asked for`);
    };
    const asked = askedIn(input);
    for (const [what, wanted] of Object.entries(wantedOf(spec!)))
      if (wanted !== undefined && asked[what] !== wanted) fail(what, wanted, asked[what]);
    const [volumes, made] = [volumesOf(spec!, input), volumesIn(input)];
    if (!equal(volumes, made)) fail('volumes', volumes, made);
  };
  const expectStore = (store: string, tags: Tags | undefined) => {
    const machine = machineOf(tags);
    const { secureSecretsBackend = 'secrets-manager' } = machine?.spec?.cloudInit ?? {};
    if (machine && secureSecretsBackend !== store)
      throw new Violation(rule, `what ${machine.metadata.name} boots with is in ${store}, not ${secureSecretsBackend}`);
  };
  return {
    onCall: ({ action, input }) => {
      if (action === 'CreateSecret') return expectStore('secrets-manager', (input as { Tags?: Tags }).Tags);
      if (action === 'PutParameter') return expectStore('ssm-parameter-store', (input as { Tags?: Tags }).Tags);
      if (action !== 'RunInstances') return;
      const launch = input as unknown as RunInstancesInput;
      const machine = machineOf(launch.TagSpecifications?.[0]?.Tags as Tags | undefined);
      if (machine) expectLaunch(launch, machine);
    },
  };
};
