/** What an installation keeps beside the account it acts on, and what it finds there that carries its tag. */
import type {
  Address,
  CarrierGateway,
  Instance,
  InternetGateway,
  LoadBalancer,
  NatGateway,
  RouteTable,
  SecurityGroup,
  Subnet,
  TargetGroup,
  Vpc,
} from './cloud.ts';

/** Why nothing is done until a person says so. */
export type FreezeReason =
  /** The account was acted on, and no object here knows of it. */
  | 'ObjectsLost'
  /** The account was acted on after these objects were stored. */
  | 'ObjectsOlder'
  /** These objects were acted on, but not in this account as it is. */
  | 'AccountDiffers';

export interface Freeze {
  /** Names this freeze and no other: what a person writes to lift it. */
  id: string;
  reason: FreezeReason;
  message: string;
}

/** How far the account knows that the objects had come when it was last acted on, and where that was. */
export interface Mark {
  position: number;
  /** Every region in which something was ever done. */
  regions: string[];
}

/** Where the mark is kept: in the account itself, so that it shares the fate of what it is about. */
export interface Marker {
  read(): Promise<Mark | undefined>;
  /** Of all that the account remembers the furthest: whoever writes late may put an older mark over it. */
  furthest(): Promise<Mark | undefined>;
  /** Returns when the mark is durable. */
  write(mark: Mark): Promise<void>;
}

export interface TaggedResource {
  /** The service's own word, such as natgateway or elastic-ip. */
  type: string;
  /** What the service calls it: an id, an ARN, or the name of a parameter. */
  id: string;
  tags: Record<string, string>;
}

/** A region by page: what carries the tags, and all its load balancers and target groups, which say no tags in pages. */
export interface Survey {
  instances: Instance[];
  securityGroups: SecurityGroup[];
  loadBalancers: LoadBalancer[];
  targetGroups: TargetGroup[];
  vpcs: Vpc[];
  subnets: Subnet[];
  internetGateways: InternetGateway[];
  carrierGateways: CarrierGateway[];
  natGateways: NatGateway[];
  addresses: Address[];
  routeTables: RouteTable[];
  /** Secrets and parameters. */
  secrets: TaggedResource[];
}

export const emptySurvey: Survey = {
  instances: [],
  securityGroups: [],
  loadBalancers: [],
  targetGroups: [],
  vpcs: [],
  subnets: [],
  internetGateways: [],
  carrierGateways: [],
  natGateways: [],
  addresses: [],
  routeTables: [],
  secrets: [],
};

export interface InstallationReads {
  State: [Record<string, never>, { freeze?: Freeze; regions: string[] }];
  /** Everything in a region that carries the tags and costs or blocks something. */
  Resources: [{ region: string; tags: Record<string, string> }, { resources: TaggedResource[] }];
  /** Only what is asked for; the rest is empty. */
  Survey: [{ region: string; tags: Record<string, string>; of: (keyof Survey)[] }, Survey];
}

export interface InstallationEffects {
  /** Of another freeze than the present one nothing happens. */
  Thaw: { id: string };
  /** For the operators' log. */
  Report: { total: number; orphans: string[] };
  /** Has a controller look at objects of its kind, as if they had changed. */
  Wake: { controller: string; objects: { namespace: string; name: string }[] };
}
