/**
 * Sets the tags that a user asks for on every resource of a cluster, and the tags that the
 * in-cluster cloud provider needs. Nothing waits for them.
 */
import { givenSpec } from '../../common/filled.ts';
import type { Tag } from '../../ports/cloud.ts';
import { callCloud } from '../../ports/index.ts';
import {
  appliedTags,
  differenceOf,
  ec2Tagger,
  type Tagger,
  type TagPlan,
  type Thing,
  tagPlan,
  tagSteps,
} from './additional-tags.ts';
import type { Scope } from './context.ts';
import { isUp, launchedInterfaces, launchedVolumes } from './launched.ts';
import { isLive } from './network/nat-gateways.ts';
import { cloudProviderTags, observedSubnet, tagsOfUnmanaged } from './network/subnets.ts';
import type { AWSCluster, AWSClusterSpec } from './schema.ts';
import { groupTags } from './security-groups.ts';
import type { Pending } from './step.ts';
import { additional, carries, cloudProviderTag, evidence, type Owner, purposeTag, tagMap } from './tags.ts';

interface Made {
  sort: string;
  ids: string[];
  there: readonly Tag[];
  /** Tags of the resource's own spec, which win. */
  given?: Record<string, string> | undefined;
  /** Tags that the in-cluster cloud provider finds it by; the controller restores them. */
  finding?: Record<string, string>;
  /** Describe calls may not show all of it yet. */
  isComing?: boolean;
}

const each = <T extends { Tags: Tag[] }>(sort: string, all: readonly T[], idOf: (one: T) => string): Made[] =>
  all.map((one) => ({ sort, ids: [idOf(one)], there: one.Tags }));

const madeInEc2 = ({ owner: { clusterName }, network, observed }: Scope, given: AWSClusterSpec): Made[] => {
  const { vpc, subnets, carrierGateways, natGateways, addresses, bastion } = observed;
  return [
    ...each('vpc', vpc ? [vpc] : [], (one) => one.VpcId).map((one) => ({
      ...one,
      given: given.network?.vpc?.tags,
      finding: { [cloudProviderTag(clusterName)]: 'owned' },
    })),
    ...(network.subnets ?? []).flatMap((subnet) => {
      const there = observedSubnet(subnet, subnets);
      const finding = cloudProviderTags(subnet, clusterName, 'owned');
      return there ? [{ sort: 'subnet', ids: [there.SubnetId], there: there.Tags, given: subnet.tags, finding }] : [];
    }),
    ...each('internet-gateway', observed.internetGateways, (one) => one.InternetGatewayId),
    ...each(
      'carrier-gateway',
      carrierGateways.filter(({ State }) => State === 'available'),
      (one) => one.CarrierGatewayId,
    ),
    ...each('nat-gateway', natGateways.filter(isLive), (one) => one.NatGatewayId),
    // The AWSMachine controller tags machines.
    ...each(
      'address',
      addresses.filter(({ Tags }) => tagMap(Tags)[purposeTag] !== undefined),
      (one) => one.AllocationId,
    ),
    ...each('route-table', observed.routeTables, (one) => one.RouteTableId),
    ...each('security-group', observed.securityGroups, (one) => one.GroupId).map((one) => ({
      ...one,
      finding: groupTags(tagMap(one.there)[purposeTag], clusterName),
    })),
    ...(bastion
      ? [
          {
            sort: 'bastion',
            isComing: !isUp(bastion),
            ids: [
              bastion.InstanceId,
              ...launchedVolumes(bastion),
              ...launchedInterfaces(bastion).map(({ NetworkInterfaceId }) => NetworkInterfaceId),
            ],
            there: bastion.Tags,
          },
        ]
      : []),
  ];
};

const madeInBalancing = ({ observed: { loadBalancers, targetGroups } }: Scope): Made[] => [
  ...loadBalancers.map(({ LoadBalancerArn, tags }) => ({ sort: 'load-balancer', ids: [LoadBalancerArn], there: tags })),
  ...loadBalancers.flatMap(({ listeners }) =>
    listeners.map(({ ListenerArn, tags }) => ({ sort: 'listener', ids: [ListenerArn], there: tags })),
  ),
  ...targetGroups.map(({ TargetGroupArn, tags }) => ({ sort: 'target-group', ids: [TargetGroupArn], there: tags })),
];

/** One resource a call: the service accepts no more. */
const elbTagger = (region: string, owned: Record<string, string>): Tagger => ({
  several: false,
  put: (ResourceArns, Tags) => callCloud(region, 'AddTags', { ResourceArns, Tags }),
  take: (ResourceArns, TagKeys) => callCloud(region, 'RemoveTags', { ResourceArns, TagKeys }, owned),
});

/**
 * Whether tags are or were asked for; otherwise the controller does not read those of each
 * listener.
 */
export const isTagged = ({ metadata }: AWSCluster, { additionalTags, clusterName }: Owner): boolean =>
  Object.keys(additional({ ...additionalTags, ...appliedTags(metadata.annotations) }, clusterName)).length > 0;

export interface ClusterTagPlan extends TagPlan {
  /** Changes that the controller cannot make and skips. */
  forgone: string[];
}

export const planTags = (scope: Scope, awsCluster: AWSCluster, before: Pending, now: number): ClusterTagPlan => {
  const { owner, region } = scope;
  const applied = appliedTags(awsCluster.metadata.annotations) ?? {};
  const difference = differenceOf(owner.additionalTags, applied, owner.clusterName);
  const owned = evidence(owner);
  const own = (all: readonly Made[]) => all.filter(({ there }) => carries(there, owned));
  const inEc2 = own(madeInEc2(scope, givenSpec(awsCluster) as AWSClusterSpec));
  const inBalancing = own(madeInBalancing(scope));
  const asked = (all: readonly Made[]): Thing[] =>
    all.map(({ given = {}, finding: _, ...made }) => ({
      ...made,
      wanted: { ...difference.wanted, ...additional(given, owner.clusterName) },
      surplus: difference.surplus.filter((key) => !Object.hasOwn(given, key)),
    }));
  // In steps of their own: AWS may refuse the tags that users ask for.
  const finding = inEc2.map(({ given: _, finding: wanted = {}, ...made }): Thing => ({ ...made, wanted, surplus: [] }));
  const unmanaged = tagsOfUnmanaged(scope);
  const steps = [
    ...tagSteps([...unmanaged.things, ...finding], ec2Tagger(region, owned), before, now),
    ...tagSteps(asked(inEc2.filter(({ isComing }) => !isComing)), ec2Tagger(region, owned), before, now),
    ...tagSteps(asked(inBalancing), elbTagger(region, owned), before, now),
  ];
  const shown = asked([...inEc2, ...inBalancing]).map(({ there, surplus }) =>
    there.filter(({ Key }) => surplus.includes(Key)),
  );
  return { ...tagPlan(applied, difference, { steps, shown }, before, now), forgone: unmanaged.forgone };
};
