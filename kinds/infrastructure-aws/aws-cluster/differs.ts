/**
 * Whether reconciling a cluster's infrastructure would find something to do, as far as list pages
 * show. Plans with the same functions as a reconcile.
 */
import { equal } from '../../../machinery/api/merge.ts';
import type { Tag } from '../../ports/cloud.ts';
import type { Survey } from '../../ports/installation.ts';
import { type ApiPorts, standingPorts } from './api-ports.ts';
import { bastionStatus, planBastion } from './bastion.ts';
import type { Scope } from './context.ts';
import { apiTargets, desiredLoadBalancers } from './desired-load-balancer.ts';
import { changedCheck } from './load-balancer.ts';
import { planNetwork } from './network/index.ts';
import { usedGateway } from './network/internet-gateway.ts';
import { needsCarrierGateway } from './network/wavelength.ts';
import { isRunningBastion, type Observed, type ObservedVpc } from './observe-cloud.ts';
import type { AWSCluster } from './schema.ts';
import { planSecurityGroups } from './security-groups.ts';
import { isAbandoned, pendingOf } from './step.ts';
import { planTags } from './tagging.ts';
import { clusterUidTag, type Owner, tagMap } from './tags.ts';

export interface Shown {
  owner: Owner;
  apiPorts: ApiPorts;
  /** Resources with the cluster's uid, and every load balancer and target group of the region. */
  survey: Survey;
}

/** Other objects have their own timers or wait for an event. */
export const isAtRest = ({ metadata, spec, status }: AWSCluster): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.ready === true &&
  Boolean(spec?.region) &&
  !('cluster.x-k8s.io/managed-by' in (metadata.annotations ?? {}));

/**
 * The controller records a VPC's tags when it first describes it; an unmanaged VPC lacks Capstan's.
 */
const isUnmanaged = ({ spec }: AWSCluster): boolean => spec?.network?.vpc?.tags?.[clusterUidTag] === undefined;

/** The list pages that show resources of this cluster. */
export const pagesOf = (awsCluster: AWSCluster): (keyof Survey)[] => {
  const { spec, status } = awsCluster;
  const isBalanced = status?.networkStatus?.apiServerElb !== undefined;
  return [
    'instances',
    'securityGroups',
    ...(isBalanced ? (['loadBalancers', 'targetGroups'] as const) : []),
    ...(isUnmanaged(awsCluster)
      ? []
      : (['vpcs', 'subnets', 'internetGateways', 'natGateways', 'addresses', 'routeTables'] as const)),
    ...(needsCarrierGateway(spec?.network) ? (['carrierGateways'] as const) : []),
  ];
};

/** An unmanaged network as the object records it: no list page shows it. */
const noted = ({ spec, status }: AWSCluster): Pick<Observed, 'vpc' | 'natGateways'> => {
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

const observedIn = (awsCluster: AWSCluster, { survey }: Shown): Observed => ({
  zones: [],
  ipamPoolId: undefined,
  subnets: survey.subnets,
  internetGateway: usedGateway(survey.internetGateways, awsCluster.spec?.network?.vpc?.id),
  internetGateways: survey.internetGateways,
  carrierGateways: survey.carrierGateways,
  addresses: survey.addresses,
  addressPoolUsedUp: false,
  routeTables: survey.routeTables,
  securityGroups: survey.securityGroups,
  defaultGroup: undefined,
  loadBalancers: [],
  targetGroups: [],
  bastion: survey.instances.find(isRunningBastion),
  bastionImages: [],
  ...(isUnmanaged(awsCluster)
    ? noted(awsCluster)
    : { vpc: ownVpc(awsCluster, survey), natGateways: survey.natGateways }),
});

const same = (a: readonly string[] = [], b: readonly string[] = []) => [...a].sort().join() === [...b].sort().join();

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
const tagsDiffer = ({ spec, status }: AWSCluster, { vpc, securityGroups }: Observed): boolean => {
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
  const apiPorts = standingPorts(shown.apiPorts, apiTargets(spec, owner, shown.apiPorts, survey.targetGroups));
  const observed = observedIn(awsCluster, shown);
  if (!observed.vpc) return true;
  const scope: Scope = {
    owner,
    region: spec.region ?? '',
    spec,
    network: spec.network ?? {},
    observed,
    apiPorts,
    isRecent: () => false,
  };
  const network = observed.vpc.unmanaged ? [] : planNetwork(scope).parts;
  const pending = pendingOf(awsCluster.metadata.annotations);
  const parts = [...network, planSecurityGroups(scope), planBastion(scope)];
  return (
    parts.some(({ settled }) => !settled) ||
    planTags(scope, awsCluster, pending, 0).steps.some(({ key }) => !isAbandoned(pending, key)) ||
    tagsDiffer(awsCluster, observed) ||
    !equal(observed.bastion && bastionStatus(observed.bastion), awsCluster.status?.bastion) ||
    balancingDiffers(awsCluster, shown)
  );
};
