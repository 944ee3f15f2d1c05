/** How the account misbehaves, and its delays, in milliseconds at speed 1. */

export interface Delays {
  /** Instance: pending → running. */
  instanceRunning: number;
  /** Instance: shutting-down → terminated. */
  instanceTerminated: number;
  /** Instance: stopping → stopped. */
  instanceStopped: number;
  /** From the creation of a VPC or subnet until its IPv6 block can be used. */
  ipv6Associated: number;
  /** How long terminated instances and deleted or failed NAT gateways stay visible. */
  remembered: number;
  /** EBS copies a whole volume the first time. */
  snapshotCompleted: number;
  natGatewayAvailable: number;
  natGatewayFailed: number;
  natGatewayDeleted: number;
  loadBalancerActive: number;
  /** From active until the name of a load balancer resolves. */
  loadBalancerResolves: number;
  /** From the creation of a classic load balancer until its name resolves. */
  classicLoadBalancerResolves: number;
  /** How long the network interfaces of a deleted load balancer stay in their subnets. */
  loadBalancerInterfaces: number;
  /** EKS cluster: CREATING → ACTIVE. */
  eksClusterActive: number;
  /** EKS cluster: UPDATING → ACTIVE. */
  eksClusterUpdated: number;
  /** EKS cluster: DELETING → gone. */
  eksClusterDeleted: number;
  /** From a change of an Auto Scaling group to its next scaling activity. */
  groupReaction: number;
  /** From the failure of an instance until its group's health check finds it. */
  groupHealthCheck: number;
  /** From a failed launch of a group to its next attempt. */
  groupRetry: number;
  /** How long a group does not balance its zones after one of them had no capacity. */
  zoneShort: number;
  /** From the completion of a lifecycle action to the next state of the instance. */
  lifecycleProceed: number;
  /** How long an instance refresh waits without progress before it fails. */
  refreshStalled: number;
  /** Between two checks of a node group's instances. */
  eksNodegroupCheck: number;
  /** How long a node group may lack instances before EKS gives up. */
  eksNodegroupFails: number;
  /** Creation, update and deletion of an add-on. */
  eksAddon: number;
  /** From the creation of a role until services can take it. */
  roleKnown: number;
  /** From the warning to the end of an interrupted spot instance. */
  interruption: number;
  /** Delivery time of an event. */
  event: number;
}

/** Service quotas of a region. */
export interface Quotas {
  vpcs: number;
  subnetsPerVpc: number;
  internetGateways: number;
  natGatewaysPerZone: number;
  addresses: number;
  routeTablesPerVpc: number;
  securityGroups: number;
  rulesPerSecurityGroup: number;
  securityGroupsPerInterface: number;
  gatewayEndpoints: number;
  snapshots: number;
  vcpus: number;
  /** Of running spot instances. */
  spotVcpus: number;
  loadBalancers: number;
  classicLoadBalancers: number;
  targetGroups: number;
  listenersPerLoadBalancer: number;
  listenersPerClassicLoadBalancer: number;
  eksClusters: number;
  launchTemplates: number;
  launchTemplateVersions: number;
  autoScalingGroups: number;
  lifecycleHooksPerGroup: number;
  /** Of one cluster. */
  eksNodegroups: number;
}

export interface CapacityReservation {
  /** The instance type. */
  type: string;
  zone: string;
  /** How many instances it has room for. */
  count: number;
  /** Launches that fit take it without naming it. */
  open?: boolean;
  /** A capacity block, which has a market of its own. */
  block?: boolean;
}

export interface Behaviour {
  /** The maximum age of a change that a read may miss; 0 = never. */
  inconsistency: number;
  /** Probability that a read within that time is stale. */
  staleReads: number;
  /** Request and resource token buckets. */
  throttling: boolean;
  /** Probability that a page is shorter than requested although more follows. */
  shortPages: number;
  /** Probabilities that a state-change event is lost or duplicated. */
  lostEvents: number;
  duplicatedEvents: number;
  /** Free addresses of the account's own pools, by id. Any named pool exists. */
  addressPools: Record<string, number>;
  /** The block of an IPAM pool, by id; other pools fit dozens of networks. */
  ipamPools: Record<string, string>;
  /** Existing key pairs in every region; undefined = any name exists. */
  keyPairs: readonly string[] | undefined;
  /** Existing placement groups in every region. */
  placementGroups: readonly string[];
  /** Active capacity reservations, by id. */
  capacityReservations: Record<string, CapacityReservation>;
  /** US dollars an hour, by `<instance type>/<zone>`; others follow from the type's virtual CPUs. */
  spotPrices: Record<string, number>;
  /** US dollars an hour on demand, by instance type; others follow from the type. */
  onDemandPrices: Record<string, number>;
  /** The account's default for tags in instance metadata. */
  instanceMetadataTags: 'enabled' | 'disabled';
  delays: Delays;
  quotas: Quotas;
}

const seconds = 1000;
const minutes = 60 * seconds;

const typicalDelays: Delays = {
  instanceRunning: 16 * seconds,
  instanceTerminated: 30 * seconds,
  instanceStopped: 30 * seconds,
  ipv6Associated: 2 * seconds,
  remembered: 60 * minutes,
  snapshotCompleted: 120 * seconds,
  natGatewayAvailable: 90 * seconds,
  natGatewayFailed: 20 * seconds,
  natGatewayDeleted: 45 * seconds,
  loadBalancerActive: 120 * seconds,
  loadBalancerResolves: 10 * seconds,
  classicLoadBalancerResolves: 45 * seconds,
  loadBalancerInterfaces: 30 * seconds,
  eksClusterActive: 10 * minutes,
  eksClusterUpdated: 8 * minutes,
  eksClusterDeleted: 8 * minutes,
  groupReaction: 5 * seconds,
  groupHealthCheck: 30 * seconds,
  groupRetry: 60 * seconds,
  zoneShort: 10 * minutes,
  lifecycleProceed: 2 * seconds,
  refreshStalled: 60 * minutes,
  eksNodegroupCheck: 20 * seconds,
  eksNodegroupFails: 20 * minutes,
  eksAddon: 1 * minutes,
  roleKnown: 10 * seconds,
  interruption: 2 * minutes,
  event: 1 * seconds,
};

/** Quotas of an account that has requested increases. */
const grownQuotas: Quotas = {
  vpcs: 100,
  subnetsPerVpc: 200,
  internetGateways: 100,
  natGatewaysPerZone: 100,
  addresses: 300,
  routeTablesPerVpc: 200,
  securityGroups: 2500,
  rulesPerSecurityGroup: 60,
  securityGroupsPerInterface: 5,
  gatewayEndpoints: 20,
  snapshots: 100_000,
  vcpus: 100_000,
  spotVcpus: 100_000,
  loadBalancers: 100,
  classicLoadBalancers: 100,
  targetGroups: 3000,
  listenersPerLoadBalancer: 50,
  listenersPerClassicLoadBalancer: 100,
  eksClusters: 100,
  launchTemplates: 5000,
  launchTemplateVersions: 10_000,
  autoScalingGroups: 500,
  lifecycleHooksPerGroup: 50,
  eksNodegroups: 30,
};

/** Changes to the behaviour; delays and quotas individually. */
export type BehaviourOptions = Partial<Omit<Behaviour, 'delays' | 'quotas'>> & {
  delays?: Partial<Delays>;
  quotas?: Partial<Quotas>;
};

/** The real behaviour with these changes. */
export const behaviourOf = (options: BehaviourOptions = {}): Behaviour => ({
  inconsistency: 2 * seconds,
  staleReads: 0.2,
  throttling: true,
  shortPages: 0.1,
  lostEvents: 0,
  duplicatedEvents: 0.02,
  addressPools: {},
  ipamPools: {},
  keyPairs: undefined,
  placementGroups: [],
  capacityReservations: {},
  spotPrices: {},
  onDemandPrices: {},
  instanceMetadataTags: 'disabled',
  ...options,
  delays: { ...typicalDelays, ...options.delays },
  quotas: { ...grownQuotas, ...options.quotas },
});

/** Only delays, for tests of other subjects. */
export const wellBehaved: BehaviourOptions = {
  inconsistency: 0,
  throttling: false,
  shortPages: 0,
  lostEvents: 0,
  duplicatedEvents: 0,
};
