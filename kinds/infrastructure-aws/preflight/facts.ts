/** Everything that the checks look at. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import type { KubeadmControlPlane } from '../../controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import type {
  Address,
  AvailabilityZone,
  CloudOutput,
  Image,
  InstanceTypeInfo,
  LoadBalancer,
  Region,
  SecurityGroup,
  Subnet,
  Tag,
  Vpc,
} from '../../ports/cloud.ts';
import type { PkiReads } from '../../ports/pki.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { Network } from '../aws-cluster/network/fill.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import type { Owner } from '../aws-cluster/tags.ts';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/index.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';

/** Machines that are alike, and where people say so. */
export interface PlannedMachines {
  /** What asks for them: `MachineDeployment default/workers`. */
  by: string;
  /** The object that describes them and the path of its AWSMachine spec, for messages. */
  at: { object: string; path: string };
  /** Absent or unreadable: the template is. */
  spec: Read<AWSMachineSpec>;
  controlPlane: boolean;
  bastion?: true;
  count: number;
  /** Kubernetes version, and its field in `by`. */
  version?: string;
  versionField: string;
  /** Where a failure domain is named, that one. */
  failureDomain?: string;
  /** They join by kubeadm. */
  kubeadm: boolean;
  /** How kubeadm is configured, and where; undefined for a bastion, or where the user brings the bootstrap data. */
  config?: { at: { object: string; path: string }; spec: Read<KubeadmConfigSpec> };
  /** Names of preflight checks that their owner skips. */
  skips: readonly string[];
}

/** `<cluster>-<purpose>` is the name of the Secret. */
export const secretPurposes = ['ca', 'etcd', 'proxy', 'sa', 'apiserver-etcd-client'] as const;
export type SecretPurpose = (typeof secretPurposes)[number];
export interface SecretFacts {
  secret: Read<Secret>;
  /** What its pair is; undefined while there are not both. */
  pair: Read<PkiReads['inspect'][1]> | undefined;
}

export interface CloudFacts {
  regions: Read<Region[]>;
  zones: Read<AvailabilityZone[]>;
  types: ReadonlyMap<string, Read<InstanceTypeInfo>>;
  /** Zones by instance type. */
  offerings: Read<ReadonlyMap<string, string[]>>;
  /** By the question, as JSON. */
  images: ReadonlyMap<string, Read<Image[]>>;
  profiles: ReadonlyMap<string, Read<CloudOutput<'GetInstanceProfile'>>>;
  keyPairs: ReadonlyMap<string, Read<unknown>>;
  /** By the code of the quota. */
  quotas: ReadonlyMap<string, Read<number>>;
  vpcs: Read<Vpc[]>;
  addresses: Read<Address[]>;
  unmanagedVpc: Read<Vpc> | undefined;
  /** Subnets that are named by id, anywhere. */
  subnets: ReadonlyMap<string, Read<Subnet>>;
  /** All of a VPC that somebody brought. */
  vpcSubnets: Read<Subnet[]>;
  /** What the filters of machines match, by the filters as JSON. */
  filtered: ReadonlyMap<string, Read<Subnet[]>>;
  securityGroups: ReadonlyMap<string, Read<SecurityGroup>>;
  /** By the wanted name. */
  loadBalancers: ReadonlyMap<string, { balancer: Read<LoadBalancer>; tags: Read<Tag[]> }>;
}

export interface PreflightFacts {
  cluster: Cluster;
  /** Milliseconds since the epoch. */
  now: number;
  owner: Owner;
  awsCluster: Read<AWSCluster>;
  identity: Read<AWSClusterControllerIdentity>;
  namespace: Read<KubeObject>;
  controlPlane: Read<KubeadmControlPlane> | undefined;
  /** The lists that the planned machines come from. */
  sets: Read<unknown>;
  machines: PlannedMachines[];
  secrets: Readonly<Partial<Record<SecretPurpose, SecretFacts>>>;
  region: string;
  /** The spec of the AWSCluster without what controllers filled in. */
  given: AWSClusterSpec;
  /** The network as it will be, as far as that can be told. */
  network: Network;
  /** Undefined while the region is not known. */
  cloud: CloudFacts | undefined;
}
