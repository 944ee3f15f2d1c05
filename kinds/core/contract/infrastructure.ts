/** What operations ask of an infrastructure besides the fields of its objects. */
import type { GroupKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Failure, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Exclusion } from '../../ports/snapshots.ts';
import type { Cluster } from '../cluster/schema.ts';

/**
 * On an infrastructure cluster: uid of the Cluster that it was created for. Reserved for
 * controllers.
 */
export const clusterUidAnnotation = 'capstan.dev/cluster-uid';
/**
 * On an infrastructure object: the step that its controller has started. Reserved for controllers.
 */
export const pendingAnnotation = 'capstan.dev/pending';

/** On an infrastructure machine: False, with what was printed, if the boot scripts of its host failed. */
export const bootstrapExecSucceeded = 'BootstrapExecSucceeded';

/** A fault of one field, in parts that the checks of objects also have. */
export interface FieldFault {
  /** Kind, namespace and name: `KubeadmControlPlane default/my-cluster`. */
  object: string;
  path: string;
  /** What would happen. */
  fault: string;
  remedy: string;
}

export interface Preflight {
  /** `absent`: an object or resource does not exist, or is not visible yet. */
  verdict: 'passed' | 'pending' | 'absent' | 'refused';
  /** Empty if the preflight passed. */
  message: string;
  /** What it refuses, or misses; a user may override each by its code. */
  findings?: readonly { code: string; message: string; at?: FieldFault }[];
  /** What is to be known besides. */
  waitsFor?: string;
}

/** The cluster whose leftovers are searched for. */
export interface FormerCluster {
  /** While the Cluster exists, the search also finds some resources by name. */
  cluster?: Cluster | undefined;
  namespace: string;
  clusterName: string;
  clusterUid: string;
  /** The region of its infrastructure; empty if it never had any. */
  region: string;
  installation: string;
}

export interface Leftovers {
  /**
   * Each entry is a kind and a name, such as `EC2 instance i-0123`; empty only if nothing is left.
   */
  left: Read<string[]>;
  /** Whether every list was readable. */
  isWhole: boolean;
  /** Deletes what a stalled worker created for Machines that are gone: no controller owns it. */
  stranded: Action[];
  /** What must be deleted last, under the names it has in `left`. */
  last: { names: string[]; actions: Action[] };
}

/** What the disks of hosts are kept for. */
export interface KeptFor {
  /** The uid of the operation. */
  uid: string;
  /** Provider IDs. */
  hosts: readonly string[];
  /** RFC 3339: when the operation was asked for, which every copy says. */
  since: string;
  /** RFC 3339: when the copies are deleted. */
  until: string;
}

/** Copies of disks, each with where it is and what it is of. */
export interface KeptDisks {
  kept: string[];
  /** Copies that are not complete. */
  copying: string[];
  /** Disks of which no copy has begun. */
  missing: string[];
  /** Why a disk cannot be kept. */
  refusal?: string;
  /** Why a copy could not begin; it is tried again. */
  delay?: { code: string; message: string };
  /** Begin the copies that are missing. */
  actions: Action[];
}

/** Copies of a cluster's disks that outlive it. */
export interface StayingCopies {
  /** Each with what it is of, and its end. */
  disks: string[];
  /** The command that deletes one of them. */
  removal: string;
}

/** What a provider adds to the contract's fields; each is optional. */
export type InfrastructureProvider = GroupKind & Partial<Infrastructure>;

/** `group`, `kind`: of its infrastructure clusters. */
export interface Infrastructure extends GroupKind {
  /** Whether its controllers keep to the targets of operations, so that they can hold it and tear it down. */
  followsTargets: boolean;
  /**
   * Checks whether the described cluster can be built, before anything is created that costs money.
   */
  preflight: (cluster: Cluster, read: Reader, context: Context) => Preflight;
  /**
   * Checks whether Machines of these objects can be replaced, such as `MachineDeployment
   * default/workers`. `version`: the Kubernetes version of the new ones, if it is not that of the spec.
   */
  replacementPreflight: (
    cluster: Cluster,
    owners: readonly string[],
    read: Reader,
    context: Context,
    version?: string,
  ) => Preflight;
  /** Everything that Capstan created for the cluster and that still exists outside the store. */
  leftovers: (of: FormerCluster, read: Reader) => Leftovers;
  /**
   * The hosts of the cluster's control plane that may still run or start again, such as `EC2 instance
   * i-0123 (running)`: those that carry its tags, and those with these provider IDs. Found and empty
   * only if the account has answered that there is none.
   */
  controlPlaneHosts: (of: FormerCluster, providerIds: readonly string[], read: Reader) => Read<string[]>;
  /**
   * Copies of the disks that go with the control plane's hosts. `failure`: the last one of its actions.
   * Absent: the provider keeps none.
   */
  keptDisks?: (of: FormerCluster, kept: KeptFor, read: Reader, failure: Failure | undefined) => Read<KeptDisks>;
  /** The copies of disks that were made for operations of the cluster, whichever. Absent: the provider keeps none. */
  stayingCopies?: (of: FormerCluster, read: Reader) => Read<StayingCopies>;
  /** Those of these provider IDs whose hosts the account says are gone for good. */
  endedHosts: (of: FormerCluster, providerIds: readonly string[], read: Reader) => Read<string[]>;
  /**
   * Why the account does not serve the cluster, for example because AWS does not answer or throttles
   * every call; undefined if it serves it. `objects`: the infrastructure cluster and machines.
   */
  outage: (of: FormerCluster, objects: readonly KubeObject[], read: Reader, now: number) => string | undefined;
  /** Conditions of the infrastructure cluster that the network still waits for. */
  unfinishedNetwork: (infrastructure: KubeObject) => string[];
  loadBalancer: {
    /** The condition of the infrastructure cluster that reports it. */
    condition: string;
    isReady: (infrastructure: KubeObject) => boolean;
    isGone: (infrastructure: KubeObject) => boolean;
  };
  /**
   * Conditions of an infrastructure machine that explain a normal wait, the most specific first.
   */
  machineDelays: readonly string[];
  /** What a deletion leaves because Capstan did not create it, such as `VPC vpc-0123`. */
  stays: (cluster: Cluster, infrastructure: KubeObject | undefined, machines: readonly KubeObject[]) => string[];
  /**
   * Objects of the cluster of that name which another cluster with its data must not act on, because
   * they name resources of the account.
   */
  exclusions: (clusterName: string) => Exclusion[];
}
