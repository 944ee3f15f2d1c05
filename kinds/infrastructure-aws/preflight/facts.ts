/** Everything that the checks read. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import type { KubeadmControlPlane } from '../../controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import type { Pool } from '../../ipam/pool/schema.ts';
import type { PoolReference } from '../../ipam/references.ts';
import type {
  Address,
  AvailabilityZone,
  ClassicLoadBalancer,
  CloudOutput,
  Image,
  InstanceTypeInfo,
  LoadBalancer,
  Region,
  SecurityGroup,
  Subnet,
  Tag,
  Vpc,
} from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/index.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import type { Owner } from '../engine/tags.ts';
import type { Caller, Resolved } from '../identity/principal.ts';
import type { Network } from '../network/fill.ts';

/** Machines with the same spec, and the fields that define them. */
export interface PlannedMachines {
  /** The object that asks for them: `MachineDeployment default/workers`. */
  by: string;
  /** The object and path of their AWSMachine spec, for messages. */
  at: { object: string; path: string };
  /** Absent or unreadable when the template is. */
  spec: Read<AWSMachineSpec>;
  /** What the spot market lacks is bought on demand. */
  fallsBack?: true;
  controlPlane: boolean;
  bastion?: true;
  count: number;
  /** How many more run while a rollout replaces them; absent: none. */
  surge?: number;
  /** Kubernetes version, and its field in `by`. */
  version?: string;
  versionField: string;
  /** The failure domain, where the object names one. */
  failureDomain?: string;
  /** Whether they join by kubeadm. */
  kubeadm: boolean;
  /**
   * The kubeadm configuration and its path; undefined for a bastion, and when the user provides the
   * bootstrap data.
   */
  config?: { at: { object: string; path: string }; spec: Read<KubeadmConfigSpec> };
  /** The Secret with the whole boot data that a user gives, and its field in `by`. */
  dataSecret?: { field: string; name: string };
  /** The Secrets that their boot data comes from, and the fields that name them. */
  sources?: { field: string; name: string; key: string; secret: Read<Secret> }[];
  /** The pool that their fixed addresses come from, and its field. */
  addressPool?: { field: string; reference: PoolReference; pool: Read<Pool> };
  /** Names of preflight checks that their owner skips. */
  skips: readonly string[];
}

export interface CloudFacts {
  regions: Read<Region[]>;
  zones: Read<AvailabilityZone[]>;
  types: ReadonlyMap<string, Read<InstanceTypeInfo>>;
  /** Zones by instance type. */
  offerings: Read<ReadonlyMap<string, string[]>>;
  /** By the image question, as JSON. */
  images: ReadonlyMap<string, Read<Image[]>>;
  profiles: ReadonlyMap<string, Read<CloudOutput<'GetInstanceProfile'>>>;
  keyPairs: ReadonlyMap<string, Read<unknown>>;
  /** By quota code. */
  quotas: ReadonlyMap<string, Read<number>>;
  vpcs: Read<Vpc[]>;
  addresses: Read<Address[]>;
  unmanagedVpc: Read<Vpc> | undefined;
  /** Subnets that any object names by id. */
  subnets: ReadonlyMap<string, Read<Subnet>>;
  /** All subnets of an unmanaged VPC. */
  vpcSubnets: Read<Subnet[]>;
  /** Subnets that machines' filters match, by the filters as JSON. */
  filtered: ReadonlyMap<string, Read<Subnet[]>>;
  securityGroups: ReadonlyMap<string, Read<SecurityGroup>>;
  /** By the desired name. */
  loadBalancers: ReadonlyMap<string, { balancer: Read<LoadBalancer | ClassicLoadBalancer>; tags: Read<Tag[]> }>;
}

export interface PreflightFacts {
  cluster: Cluster;
  /** Milliseconds since the epoch. */
  now: number;
  owner: Owner;
  awsCluster: Read<AWSCluster>;
  identity: Read<AWSClusterControllerIdentity>;
  /** As whom the cloud is read and called. */
  principal: Resolved;
  /** Who the roles make the caller; absent for the installation itself. */
  caller: Caller;
  namespace: Read<KubeObject>;
  controlPlane: Read<KubeadmControlPlane> | undefined;
  /** The lists that the planned machines are read from. */
  sets: Read<unknown>;
  machines: PlannedMachines[];
  region: string;
  /** The AWSCluster's spec without fields that controllers filled in. */
  given: AWSClusterSpec;
  /** The network with defaults, as far as it can be computed. */
  network: Network;
  /** Undefined while the region is unknown. */
  cloud: CloudFacts | undefined;
}
