/** Checks options of a launch that exclude each other, or that the instance type does not have. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { InstanceTypeInfo } from '../../ports/cloud/index.ts';
import { isSpot } from '../aws-machine/market.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import { wantsIpv6 } from '../network/ipv6.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

export const judgeLaunchOptions = ({ machines, cloud, given }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at }) => {
    const machine = found(spec);
    if (!machine) return [];
    const type = cloud?.types.get(machine.instanceType);
    return [...judgeCombinations(machine, wantsIpv6(given)), ...judgeFeatures(machine, type && found(type))].map(
      ({ field, reason }) => refused(`${at.object} ${at.path}.${field}: ${reason}`),
    );
  });

interface Fault {
  field: string;
  reason: string;
}

/** The AWS provider refuses these when it launches a machine, with these words. */
const judgeCombinations = (spec: AWSMachineSpec, hasIpv6: boolean): Fault[] => [
  ...(spec.placementGroupPartition && !spec.placementGroupName
    ? [
        {
          field: 'placementGroupPartition',
          reason: 'placementGroupPartition is set but placementGroupName is empty',
        },
      ]
    : []),
  ...(isSpot(spec) && spec.capacityReservationId
    ? [
        {
          field: 'capacityReservationId',
          reason: 'capacityReservationID is incompatible with marketType spot and spotMarketOptions',
        },
      ]
    : []),
  ...(spec.assignPrimaryIPv6 === 'enabled' && !hasIpv6
    ? [{ field: 'assignPrimaryIPv6', reason: 'cannot enable PrimaryIPv6: VPC does not have IPv6 enabled' }]
    : []),
];

/** EC2 refuses these. Implementations of its API that do not list the features are not asked. */
const judgeFeatures = (
  { instanceType, networkInterfaceType, networkInterfaces, cpuOptions }: AWSMachineSpec,
  info: InstanceTypeInfo | undefined,
): Fault[] => {
  const { SupportedFeatures: features } = info?.ProcessorInfo ?? {};
  const lacks = (field: string, what: string): Fault => ({
    field,
    reason: `instance type ${instanceType} has no ${what}: choose another, or leave the field out`,
  });
  const { confidentialCompute, nestedVirtualization } = cpuOptions ?? {};
  return [
    ...(networkInterfaceType === 'efa' && !networkInterfaces?.length && info?.NetworkInfo?.EfaSupported === false
      ? [lacks('networkInterfaceType', 'Elastic Fabric Adapter')]
      : []),
    ...(confidentialCompute && confidentialCompute !== 'Disabled' && features && !features.includes('amd-sev-snp')
      ? [lacks('cpuOptions.confidentialCompute', 'AMD SEV-SNP')]
      : []),
    ...(nestedVirtualization === 'enabled' && features && !features.includes('nested-virtualization')
      ? [lacks('cpuOptions.nestedVirtualization', 'nested virtualization')]
      : []),
  ];
};
