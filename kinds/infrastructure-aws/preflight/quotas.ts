/**
 * Checks that the account's quotas suffice for the cluster. A quota that cannot be read is no
 * reason to refuse.
 */
import { found } from '../../../machinery/api/reconcile.ts';
import type { Tag, Vpc } from '../../ports/cloud/index.ts';
import { isSpot } from '../aws-machine/market.ts';
import { carries, evidence } from '../engine/tags.ts';
import { gatewaySubnets } from '../network/resources/nat-gateways.ts';
import type { CloudFacts, PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused, unknown, unknownForNow } from './finding.ts';
import { type Quota, quotas } from './observe-cloud.ts';
import { vcpuQuotaOf } from './vcpu-quotas.ts';

export const judgeQuotas = (facts: PreflightFacts): Finding[] => [
  ...judgeVpcs(facts),
  ...judgeAddresses(facts),
  ...judgeVcpus(facts),
];

const isOwn =
  ({ owner }: PreflightFacts) =>
  ({ Tags }: { Tags: Tag[] }): boolean =>
    carries(Tags, evidence(owner));

/** `used` counts other clusters' resources; `needed` counts all that this cluster will have. */
const judgeQuota = (
  { cloud, region }: PreflightFacts,
  { QuotaCode, name }: Quota,
  used: number,
  needed: number,
  instead: string,
): Finding[] => {
  const quota = cloud?.quotas.get(QuotaCode);
  const limit = quota && found(quota);
  if (limit === undefined) return unknownForNow(`the quota of ${name}`, quota);
  if (needed === 0 || used + needed <= limit) return [];
  const taken = used > 0 ? ` and ${used} are in use` : '';
  return [
    refused(
      `${name} in ${region}: the quota is ${limit}${taken}, and the cluster needs ${needed}: raise quota ${QuotaCode}, or ${instead}`,
    ),
  ];
};

/** The account id in the ARN of an instance profile; undefined without one. */
const accountOf = ({ profiles }: CloudFacts): string | undefined =>
  [...profiles.values()].map((profile) => found(profile)?.InstanceProfile.Arn.split(':')[4]).find(Boolean);

const judgeVpcs = (facts: PreflightFacts): Finding[] => {
  const { cloud, given, awsCluster } = facts;
  if (!cloud || awsCluster.state !== 'found' || given.network?.vpc?.id !== undefined) return [];
  if (cloud.vpcs.state !== 'found') return unknown('the VPCs in use', cloud.vpcs);
  const account = accountOf(cloud);
  const isShared = ({ OwnerId = account }: Vpc) => account !== undefined && OwnerId !== account;
  const others = cloud.vpcs.value.filter((vpc) => !isShared(vpc) && !isOwn(facts)(vpc));
  const instead = `remove a VPC, or bring one with spec.network.vpc.id of ${nameOf(awsCluster.value)}`;
  return judgeQuota(facts, quotas.vpcs, others.length, 1, instead);
};

const judgeAddresses = (facts: PreflightFacts): Finding[] => {
  const { cloud, given, awsCluster, machines, network } = facts;
  if (!cloud || awsCluster.state !== 'found') return [];
  const vpc = given.network?.vpc;
  // Addresses of a bring-your-own-IP pool do not count.
  const ofGateways =
    vpc?.id !== undefined || vpc?.elasticIpPool?.publicIpv4Pool ? 0 : gatewaySubnets(network.subnets ?? []).length;
  const ofMachines = machines.reduce((sum, { spec, count }) => {
    const pool = found(spec)?.elasticIpPool;
    return pool && !pool.publicIpv4Pool ? sum + count : sum;
  }, 0);
  if (ofGateways + ofMachines === 0) return [];
  if (cloud.addresses.state !== 'found') return unknown('the Elastic IP addresses in use', cloud.addresses);
  const others = cloud.addresses.value.filter((address) => !isOwn(facts)(address));
  const instead = `release some, or set spec.network.vpc.availabilityZoneUsageLimit of ${nameOf(awsCluster.value)} to fewer zones, for each of which there is a NAT gateway`;
  return judgeQuota(facts, quotas.addresses, others.length, ofGateways + ofMachines, instead);
};

export const judgeVcpus = (facts: PreflightFacts): Finding[] => {
  const { cloud, machines } = facts;
  if (!cloud) return [];
  const counted = machines.flatMap((planned) => {
    const spec = found(planned.spec);
    const quota = spec && vcpuQuotaOf(spec);
    const type = cloud.types.get(spec?.instanceType ?? '');
    if (!spec || !quota || !type || (planned.fallsBack && isSpot(spec))) return [];
    return [{ planned, quota, vcpus: planned.count * (found(type)?.VCpuInfo.DefaultVCpus ?? 0) }];
  });
  return [...Map.groupBy(counted, ({ quota }) => quota.QuotaCode).values()].flatMap((of) => {
    const needed = of.reduce((sum, { vcpus }) => sum + vcpus, 0);
    const largest = of.toSorted((a, b) => b.planned.count - a.planned.count)[0]!;
    const instead = `lower spec.replicas, such as of ${largest.planned.by}, or choose smaller instance types`;
    // Other running instances do not count: they may end before this cluster's start.
    return judgeQuota(facts, largest.quota, 0, needed, instead);
  });
};
