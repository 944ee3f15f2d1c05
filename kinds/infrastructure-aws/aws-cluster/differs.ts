/**
 * Whether reconciling a cluster's infrastructure would find something to do, as far as list pages
 * show. Plans with the same functions as a reconcile.
 */

import { equal } from '../../../machinery/api/merge.ts';
import type { Tag } from '../../ports/cloud/index.ts';
import type { Survey } from '../../ports/installation.ts';
import { isTagged } from '../../ports/lists.ts';
import { planResources } from '../engine/plan.ts';
import type { ResourceType, Types } from '../engine/resource.ts';
import { isAbandoned, pendingOf } from '../engine/step.ts';
import { clusterUidTag, type Owner, tagMap } from '../engine/tags.ts';
import { type ApiPorts, standingPorts } from '../network/api-ports.ts';
import { loadBalancerReady } from '../network/conditions.ts';
import { apiTargets, desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import { type CloudState, emptyInventory, type ObservedVpc } from '../network/observe-cloud.ts';
import { isSameSet } from '../network/resources/balancing.ts';
import { isSameCheck } from '../network/resources/classic-load-balancers.ts';
import { types } from '../network/resources/index.ts';
import { changedCheck } from '../network/resources/target-groups.ts';
import type { Scope } from '../network/scope.ts';
import { planTags } from '../network/tagging.ts';
import type { AWSCluster } from './schema.ts';
import { bastionStatus } from './status.ts';

export interface Shown {
  owner: Owner;
  apiPorts: ApiPorts;
  /** Resources with the cluster's uid, and every load balancer and target group of the region. */
  survey: Survey;
}

/** Other objects have their own timers or wait for an event. */
export const isIdle = ({ metadata, spec, status }: AWSCluster): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.ready === true &&
  Boolean(spec?.region) &&
  !('cluster.x-k8s.io/managed-by' in (metadata.annotations ?? {}));

/**
 * The controller records a VPC's tags when it first describes it; an unmanaged VPC lacks Capstan's.
 */
const isUnmanaged = ({ spec }: AWSCluster): boolean => spec?.network?.vpc?.tags?.[clusterUidTag] === undefined;

/** Whether list pages show what the cluster has of a type. */
const isShown = (awsCluster: AWSCluster, { list, isPossible, inUnmanagedNetwork }: ResourceType<unknown>): boolean => {
  const { spec = {}, status } = awsCluster;
  if (!list || isPossible?.({ spec, bastion: true }) === false) return false;
  if (!isTagged(list)) return status?.networkStatus?.apiServerElb !== undefined;
  return inUnmanagedNetwork === undefined || !isUnmanaged(awsCluster);
};

/** The list pages that show resources of this cluster. */
export const pagesOf = (awsCluster: AWSCluster): (keyof Survey)[] => [
  ...new Set(Object.values(types).flatMap((type) => (isShown(awsCluster, type) ? [type.list!] : []))),
];

/** An unmanaged network as the object records it: no list page shows it. */
const noted = ({ spec, status }: AWSCluster): Pick<CloudState, 'vpc' | 'natGateways'> => {
  const VpcId = spec?.network?.vpc?.id ?? '';
  const CidrBlock = spec?.network?.vpc?.cidrBlock ?? '';
  return {
    vpc: {
      VpcId,
      CidrBlock,
      CidrBlockAssociationSet: [],
      State: 'available',
      IsDefault: false,
      Tags: [],
      unmanaged: true,
      dnsSupport: true,
      dnsHostnames: true,
    },
    natGateways: (status?.networkStatus?.natGatewaysIPs ?? []).map((PublicIp) => ({
      NatGatewayId: '',
      VpcId,
      SubnetId: '',
      State: 'available',
      NatGatewayAddresses: [{ AllocationId: '', PublicIp }],
      Tags: [],
    })),
  };
};

/** A VPC's DNS attributes take one call each, so they count as correct here. */
const ownVpc = ({ spec }: AWSCluster, { vpcs }: Survey): ObservedVpc | undefined => {
  const vpc = vpcs.find(({ VpcId }) => VpcId === spec?.network?.vpc?.id);
  return vpc && { ...vpc, unmanaged: false, dnsSupport: true, dnsHostnames: true };
};

const observedIn = (awsCluster: AWSCluster, { survey }: Shown): CloudState => {
  const byTag = Object.entries(types).filter(([, { list }]) => list && isTagged(list));
  const found = byTag.map(([name, { list, isOne }]) => {
    const all: unknown[] = survey[list!];
    return [name, isOne ? all.filter((one) => isOne(one)) : all];
  });
  const { vpc, ...more } = isUnmanaged(awsCluster) ? noted(awsCluster) : { vpc: ownVpc(awsCluster, survey) };
  return {
    ...emptyInventory(),
    ...Object.fromEntries(found),
    ...more,
    vpc,
    vpcs: vpc ? [vpc] : [],
    zones: [],
    ipamPoolId: undefined,
    ipv6IpamPoolId: undefined,
    addressPoolUsedUp: false,
    defaultGroup: undefined,
    bastionImages: [],
  };
};

/** Load balancers are compared with what the object recorded. */
const plannedTypes = ({ vpc }: CloudState): Types =>
  Object.fromEntries(
    Object.entries(types).filter(
      ([, { condition, inUnmanagedNetwork }]) =>
        condition.type !== loadBalancerReady && !(vpc?.unmanaged && inUnmanagedNetwork),
    ),
  );

const same = (a: readonly string[] = [], b: readonly string[] = []) => isSameSet(a, b);

const classicDiffers = ({ spec, status }: AWSCluster, { owner, apiPorts, survey }: Shown): boolean => {
  const desired = desiredClassic(spec ?? {}, owner, apiPorts);
  if (!desired) return false;
  const before = status?.networkStatus?.apiServerElb;
  const there = survey.classicLoadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === desired.name);
  return (
    there === undefined ||
    there.DNSName !== before?.dnsName ||
    !same(there.SecurityGroups, before.securityGroupIds) ||
    !same(there.Subnets, before.subnetIds) ||
    !isSameCheck(there.HealthCheck, desired.check) ||
    !there.ListenerDescriptions.some(({ Listener }) => equal(Listener, desired.listener))
  );
};

/** Compares with what the object recorded: listeners, attributes and tags take one call each. */
const balancingDiffers = ({ spec, status }: AWSCluster, { owner, apiPorts, survey }: Shown): boolean => {
  const { apiServerElb, secondaryAPIServerELB } = status?.networkStatus ?? {};
  return desiredLoadBalancers(spec ?? {}, owner, apiPorts).some((desired) => {
    const before = [apiServerElb, secondaryAPIServerELB].find((one) => one?.name === desired.name);
    const there = survey.loadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === desired.name);
    if (!before || !there || there.State.Code !== 'active') return true;
    if (there.LoadBalancerArn !== before.arn || !same(there.SecurityGroups, before.securityGroupIds)) return true;
    const subnets = there.AvailabilityZones.map(({ SubnetId }) => SubnetId);
    if (!same(subnets, before.subnetIds)) return true;
    return desired.ports.some(({ targetGroupName, check }) => {
      const group = survey.targetGroups.find(({ TargetGroupName }) => TargetGroupName === targetGroupName);
      // Without a listener the target group counts as unused.
      return !group?.LoadBalancerArns.includes(there.LoadBalancerArn) || changedCheck(check, group) !== undefined;
    });
  });
};

/** Compares the tags of the network and its groups. */
const tagsDiffer = ({ spec, status }: AWSCluster, { vpc, securityGroups }: CloudState): boolean => {
  const isOther = (there: readonly Tag[], noted: Record<string, string> | undefined) =>
    noted !== undefined && !equal(tagMap(there), noted);
  return (
    (vpc !== undefined && !vpc.unmanaged && isOther(vpc.Tags, spec?.network?.vpc?.tags)) ||
    Object.values(status?.networkStatus?.securityGroups ?? {}).some(({ id, tags }) => {
      const there = securityGroups.find(({ GroupId }) => GroupId === id);
      return there !== undefined && isOther(there.Tags, tags);
    })
  );
};

export const differs = (awsCluster: AWSCluster, shown: Shown): boolean => {
  const { owner, survey } = shown;
  const spec = awsCluster.spec ?? {};
  const apiPorts = standingPorts(shown.apiPorts, apiTargets(spec, owner, shown.apiPorts, survey));
  const cloudState = observedIn(awsCluster, shown);
  if (!cloudState.vpc) return true;
  const scope: Scope = {
    owner,
    region: spec.region ?? '',
    spec,
    network: spec.network ?? {},
    cloudState,
    apiPorts,
    isHosted: false,
    isRecent: () => false,
  };
  const pending = pendingOf(awsCluster.metadata.annotations);
  return (
    planResources(scope, plannedTypes(cloudState)).some(({ settled }) => !settled) ||
    planTags(scope, awsCluster, pending, 0).steps.some(({ key }) => !isAbandoned(pending, key)) ||
    tagsDiffer(awsCluster, cloudState) ||
    !equal(bastionStatus(cloudState.bastions[0]), awsCluster.status?.bastion) ||
    balancingDiffers(awsCluster, shown) ||
    classicDiffers(awsCluster, { ...shown, apiPorts })
  );
};
