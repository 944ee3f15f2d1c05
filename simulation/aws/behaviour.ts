/** How the account misbehaves, and how long things take. Delays are at speed 1, in milliseconds. */

export interface Delays {
  /** Instance: pending → running. */
  instanceRunning: number;
  /** Instance: shutting-down → terminated. */
  instanceTerminated: number;
  /** Instance: stopping → stopped. */
  instanceStopped: number;
  /** How long what is gone stays visible: terminated instances, deleted and failed NAT gateways. */
  remembered: number;
  natGatewayAvailable: number;
  natGatewayFailed: number;
  natGatewayDeleted: number;
  loadBalancerActive: number;
  /** From when a load balancer is active until its name resolves. */
  loadBalancerResolves: number;
  /** How long the network interfaces of a deleted load balancer stay in their subnets. */
  loadBalancerInterfaces: number;
  /** A state-change event's way to whoever listens. */
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
  vcpus: number;
  loadBalancers: number;
  targetGroups: number;
  listenersPerLoadBalancer: number;
}

export interface Behaviour {
  /** For how long, at most, a read may miss what was just created or show an instance's state before its last change; 0 = never. */
  inconsistency: number;
  /** Chance in [0, 1] that one read within that time is stale. */
  staleReads: number;
  /** Request and resource token buckets. */
  throttling: boolean;
  /** Chance that a page is shorter than asked for, though more follows. */
  shortPages: number;
  /** Chances that an instance's state-change event is lost, or arrives twice. */
  lostEvents: number;
  duplicatedEvents: number;
  /** Addresses in a pool that the account brought, by id. The account has every pool that anybody names. */
  addressPools: Record<string, number>;
  /** The block of an IPAM pool, by id; others have one that fits dozens of networks. */
  ipamPools: Record<string, string>;
  /** Names of the key pairs that there are, in every region; undefined = every pair that anybody names. */
  keyPairs: readonly string[] | undefined;
  /** Names of the placement groups that there are, in every region. */
  placementGroups: readonly string[];
  /** Whether tags are shown inside an instance whose launch does not say, as an account may have it. */
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
  remembered: 60 * minutes,
  natGatewayAvailable: 90 * seconds,
  natGatewayFailed: 20 * seconds,
  natGatewayDeleted: 45 * seconds,
  loadBalancerActive: 120 * seconds,
  loadBalancerResolves: 10 * seconds,
  loadBalancerInterfaces: 30 * seconds,
  event: 1 * seconds,
};

/** The quotas of an account that has asked for more than the initial ones. */
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
  vcpus: 100_000,
  loadBalancers: 100,
  targetGroups: 3000,
  listenersPerLoadBalancer: 50,
};

/** What a caller may change; delays and quotas one by one. */
export type BehaviourOptions = Partial<Omit<Behaviour, 'delays' | 'quotas'>> & {
  delays?: Partial<Delays>;
  quotas?: Partial<Quotas>;
};

/** The real thing, with what is given changed. */
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
  instanceMetadataTags: 'disabled',
  ...options,
  delays: { ...typicalDelays, ...options.delays },
  quotas: { ...grownQuotas, ...options.quotas },
});

/** Nothing but delays: for tests of something else. */
export const wellBehaved: BehaviourOptions = {
  inconsistency: 0,
  throttling: false,
  shortPages: 0,
  lostEvents: 0,
  duplicatedEvents: 0,
};
