/** The simulated instance types: families, sizes, and where each is offered. */
import type { Filter, InstanceTypeInfo } from '../../kinds/ports/cloud/index.ts';
import { memoize } from '../../machinery/api/memoize.ts';
import type { GuestInstance } from '../ports.ts';
import { invalidParameter, refuse } from './errors.ts';
import { type Fields, matches } from './filters.ts';
import { page } from './paging.ts';
import { allZonesOf } from './regions.ts';
import { isRemoved } from './removed.ts';
import type { AccountState, Handlers } from './state.ts';

export interface InstanceType {
  name: string;
  vcpus: number;
  memoryMiB: number;
  architecture: 'x86_64' | 'arm64';
  /** Old types also run i386, which EC2 lists first. */
  before?: 'i386';
  gpu?: { Name: string; Manufacturer: string; Count: number };
}

const vcpusOf: Record<string, number> = {
  large: 2,
  xlarge: 4,
  '2xlarge': 8,
  '3xlarge': 12,
  '4xlarge': 16,
  '6xlarge': 24,
  '8xlarge': 32,
  '9xlarge': 36,
  '12xlarge': 48,
  '16xlarge': 64,
  '18xlarge': 72,
  '24xlarge': 96,
  '32xlarge': 128,
};
const gibibyte = 1024;

const burstable = (family: string, architecture: InstanceType['architecture']): InstanceType[] =>
  (
    [
      ['nano', 2, 0.5],
      ['micro', 2, 1],
      ['small', 2, 2],
      ['medium', 2, 4],
      ['large', 2, 8],
      ['xlarge', 4, 16],
      ['2xlarge', 8, 32],
    ] as const
  ).map(([size, vcpus, memory]) => ({
    name: `${family}.${size}`,
    vcpus,
    memoryMiB: memory * gibibyte,
    architecture,
  }));

/** Memory in proportion to cores. */
const regular = (
  families: string[],
  architecture: InstanceType['architecture'],
  memoryPerVcpu: number,
  sizes: string[],
): InstanceType[] =>
  families.flatMap((family) =>
    sizes.map((size) => {
      const vcpus = size === 'medium' ? 1 : vcpusOf[size]!;
      return {
        name: `${family}.${size}`,
        vcpus,
        memoryMiB: Math.round(vcpus * memoryPerVcpu * gibibyte),
        architecture,
      };
    }),
  );

const fifth = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'];
const sixth = [...fifth, '32xlarge'];
const arm = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge'];
const computeFifth = ['large', 'xlarge', '2xlarge', '4xlarge', '9xlarge', '12xlarge', '18xlarge', '24xlarge'];
const seventh = [...fifth, '32xlarge'];

const types = new Map<string, InstanceType>(
  [
    ...burstable('t3', 'x86_64'),
    ...burstable('t3a', 'x86_64'),
    ...burstable('t4g', 'arm64'),
    ...regular(['m5', 'm5a', 'm5d', 'm5n'], 'x86_64', 4, fifth),
    ...regular(['m6i', 'm6a', 'm6id', 'm7i', 'm7a'], 'x86_64', 4, sixth),
    ...regular(['m8i'], 'x86_64', 4, seventh),
    ...regular(['m6g', 'm7g', 'm8g'], 'arm64', 4, arm),
    ...regular(['c5', 'c5a', 'c5d'], 'x86_64', 2, computeFifth),
    ...regular(['c6i', 'c6a', 'c6id', 'c7i', 'c7a'], 'x86_64', 2, seventh),
    ...regular(['c6g', 'c7g', 'c8g'], 'arm64', 2, arm),
    ...regular(['r5', 'r5a', 'r5d'], 'x86_64', 8, fifth),
    ...regular(['r6i', 'r6a', 'r7i'], 'x86_64', 8, sixth),
    ...regular(['r6g', 'r7g'], 'arm64', 8, arm),
    ...regular(['i3', 'i4i'], 'x86_64', 7.625, ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '16xlarge']),
    ...regular(['m4'], 'x86_64', 4, ['large', 'xlarge', '2xlarge', '4xlarge', '16xlarge']),
    ...regular(['g4dn'], 'x86_64', 4, ['xlarge', '2xlarge', '4xlarge', '8xlarge', '16xlarge']).map((type) => ({
      ...type,
      gpu: { Name: 'T4', Manufacturer: 'NVIDIA', Count: 1 },
    })),
    ...regular(['g5'], 'x86_64', 4, ['xlarge', '2xlarge', '4xlarge', '8xlarge', '16xlarge']).map((type) => ({
      ...type,
      gpu: { Name: 'A10G', Manufacturer: 'NVIDIA', Count: 1 },
    })),
    { name: 't2.micro', vcpus: 1, memoryMiB: gibibyte, architecture: 'x86_64' as const, before: 'i386' as const },
    { name: 't2.small', vcpus: 1, memoryMiB: 2 * gibibyte, architecture: 'x86_64' as const, before: 'i386' as const },
    { name: 't2.medium', vcpus: 2, memoryMiB: 4 * gibibyte, architecture: 'x86_64' as const, before: 'i386' as const },
    { name: 't2.large', vcpus: 2, memoryMiB: 8 * gibibyte, architecture: 'x86_64' as const },
  ].map((type) => [type.name, type]),
);

/** Types on Xen keep only the console output of the last change of state. */
export const isNitro = (name: string): boolean => !/^(t2|m4|i3)\./.test(name);

/** What hosts of a type have, whether or not a region still offers it. */
export const hostOf = (name: string): Pick<GuestInstance, 'vcpus' | 'memoryMiB' | 'gpus'> => {
  const type = types.get(name);
  if (!type) return {};
  const { vcpus, memoryMiB, gpu } = type;
  return { vcpus, memoryMiB, ...(gpu?.Manufacturer === 'NVIDIA' && { gpus: gpu.Count }) };
};

export const instanceType = (account: AccountState, name: string): InstanceType | undefined =>
  isRemoved(account, 'instance-type', name) ? undefined : types.get(name);

// The oldest zone of the oldest region lacks newer types.
const oldGenerations = /^(t2|m4|i3)\./;
// The newest types are not available everywhere.
const newest = /^(m8i|m8g|c8g)\./;
const withoutNewest = /^(us-west-1|af-south-1)|^ap-northeast-1a$/;
// Edge zones offer only a few families.
const regularZone = /^[a-z]+(-[a-z]+)+-\d[a-z]$/;
const edgeFamilies = /^(t3|m5|c5|c5d|r5|r5d|i3|g4dn)\./;
/** Every type is offered in every zone, with these exceptions. */
export const isOffered = (name: string, zone: string): boolean => {
  if (!regularZone.test(zone)) return edgeFamilies.test(name);
  if (zone === 'us-east-1e') return oldGenerations.test(name);
  return !(newest.test(name) && withoutNewest.test(zone));
};

/** AMD's third generation has encrypted memory up to a size, and Intel's newest nested virtualization. */
export const featuresOf = (name: string): string[] => {
  if (/^(m6a|c6a|r6a)\.(large|[248]?xlarge)$/.test(name)) return ['amd-sev-snp'];
  return name.startsWith('m8i.') ? ['nested-virtualization'] : [];
};

/** The largest sizes of some families. */
export const hasEfa = (name: string): boolean =>
  /^(m5n\.24xlarge|[mcr]6id?\.32xlarge|[mcr]7g\.16xlarge|g4dn\.(8|16)xlarge|g5\.(8|16)xlarge)$/.test(name);

const info = (type: InstanceType): InstanceTypeInfo => ({
  InstanceType: type.name,
  VCpuInfo: { DefaultVCpus: type.vcpus },
  MemoryInfo: { SizeInMiB: type.memoryMiB },
  ProcessorInfo: {
    SupportedArchitectures: [...(type.before ? [type.before] : []), type.architecture],
    SupportedFeatures: featuresOf(type.name),
  },
  NetworkInfo: { EfaSupported: hasEfa(type.name) },
  ...(type.gpu && { GpuInfo: { Gpus: [type.gpu] } }),
});

interface Offering {
  seq: number;
  InstanceType: string;
  Location: string;
}
const offeringFields: Fields<Offering> = {
  'instance-type': ({ InstanceType }) => [InstanceType],
  location: ({ Location }) => [Location],
};
const everyOffering = memoize(100, (region): Offering[] =>
  [...types.keys()]
    .flatMap((name) =>
      allZonesOf(region)
        .filter((zone) => isOffered(name, zone))
        .map((zone) => ({ InstanceType: name, Location: zone })),
    )
    .map((offering, index) => ({ seq: index + 1, ...offering })),
);
const offeringsIn = (account: AccountState, region: string, filters: Filter[] | undefined): Offering[] =>
  everyOffering(region).filter(
    (offering) =>
      matches(offering, filters, offeringFields) && instanceType(account, offering.InstanceType) !== undefined,
  );

export const instanceTypeActions = {
  DescribeInstanceTypes: ({ account }, { InstanceTypes }) => {
    if (InstanceTypes.length > 100) invalidParameter('The maximum number of instance types in one request is 100.');
    const unknown = InstanceTypes.filter((name) => !instanceType(account, name));
    if (unknown.length > 0)
      refuse('InvalidInstanceType', `The following supplied instance types do not exist: [${unknown.join(', ')}]`);
    return { InstanceTypes: InstanceTypes.map((name) => info(types.get(name)!)) };
  },

  DescribeInstanceTypeOfferings: (call, { Filters, MaxResults, NextToken }) => {
    const found = page(
      call,
      offeringsIn(call.account, call.region, Filters),
      { MaxResults, NextToken },
      { least: 5, most: 1000 },
    );
    return {
      InstanceTypeOfferings: found.items.map(({ InstanceType, Location }) => ({ InstanceType, Location })),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },
} satisfies Handlers;
