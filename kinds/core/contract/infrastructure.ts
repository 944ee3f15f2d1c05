/** What operations ask of an infrastructure provider besides the fields of its objects. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';

/** On an infrastructure cluster: uid of the Cluster that it builds for. Reserved for controllers. */
export const clusterUidAnnotation = 'capstan.dev/cluster-uid';
/** On an infrastructure object: the step that its controller has begun. Reserved for controllers. */
export const pendingAnnotation = 'capstan.dev/pending';

export interface Preflight {
  /** `absent`: something is not there, which may only not be shown yet. */
  verdict: 'passed' | 'pending' | 'absent' | 'refused';
  /** Empty when it passed. */
  message: string;
}

/** The cluster whose leftovers are looked for. */
export interface FormerCluster {
  /** While it exists: some resources are then also looked for by name. */
  cluster?: Cluster | undefined;
  namespace: string;
  clusterName: string;
  clusterUid: string;
  /** Where its infrastructure is; empty when it never had any. */
  region: string;
  installation: string;
}

export interface Leftovers {
  /** Each as a kind and a name, such as `EC2 instance i-0123`; empty only when there is nothing. */
  left: Read<string[]>;
  /** Whether everything could be read. */
  isWhole: boolean;
  /** Deletes what a stalled worker created for machines that are gone: no controller deletes it. */
  stranded: Action[];
  /** What may go only when nothing else is left, as it is named among `left`. */
  last: { names: string[]; actions: Action[] };
}

export interface Infrastructure {
  /** The kind of its cluster objects. */
  kind: string;
  /** Whether the cluster that the objects describe can be built; read before anything is paid. */
  preflight: (cluster: Cluster, read: Reader, context: Context) => Preflight;
  /** Everything of Capstan's own that the cluster still has outside the store. */
  leftovers: (of: FormerCluster, read: Reader) => Leftovers;
  /** Conditions of the cluster object that the network waits for. */
  unfinishedNetwork: (infrastructure: KubeObject) => string[];
  loadBalancer: {
    /** The condition of the cluster object that reports it. */
    condition: string;
    isReady: (infrastructure: KubeObject) => boolean;
    isGone: (infrastructure: KubeObject) => boolean;
  };
  /** Conditions of a machine object that say what it waits for while nothing is wrong, the most telling first. */
  machineDelays: readonly string[];
  /** What a deletion leaves because it was not created for the cluster, such as `VPC vpc-0123`. */
  stays: (cluster: Cluster, infrastructure: KubeObject | undefined, machines: readonly KubeObject[]) => string[];
}
