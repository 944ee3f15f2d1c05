/** Watches that are omitted on purpose, each with the reason. */
import type { Gap } from './listen.ts';

interface Silence {
  controllers: readonly string[];
  of: readonly string[];
  /** Only changes of these levels; all when absent. */
  levels?: readonly Gap['level'][];
  /** Only this field. */
  field?: string;
  why: string;
  /** Another controller is notified and passes the change on. */
  isRelayed?: true;
}

export const deliberate: readonly Silence[] = [
  {
    controllers: ['cluster-operation'],
    of: ['MachineSet'],
    levels: ['count', 'note'],
    why: 'the Cluster reports the state of its parts',
    isRelayed: true,
  },
  {
    controllers: ['machine-deployment'],
    of: ['Machine'],
    why: 'its sets count their Machines',
    isRelayed: true,
  },
  {
    controllers: ['machine'],
    of: ['KubeadmControlPlane'],
    levels: ['gate', 'count', 'note'],
    why: 'the Cluster reports that its control plane is initialized',
    isRelayed: true,
  },
  {
    controllers: ['kubeadm-control-plane'],
    of: ['KubeadmConfig'],
    levels: ['object'],
    why: 'the Machine reports whether its bootstrap config is up to date',
    isRelayed: true,
  },
  {
    controllers: ['kubeadm-control-plane', 'machine-set'],
    of: ['AWSMachine', 'KubeadmConfig'],
    levels: ['object', 'note'],
    why: 'the Machine restores labels of its infrastructure object and bootstrap config; other controllers follow at the next resync (ADR 38)',
  },
  {
    controllers: ['cluster', 'kubeadm-control-plane', 'machine'],
    of: ['WorkloadSnapshot'],
    field: '.metadata.ownerReferences',
    why: 'only the prober sets its owner',
  },
  {
    controllers: ['aws-cluster'],
    of: ['AWSClusterControllerIdentity', 'Namespace'],
    levels: ['object'],
    why: 'an existing cluster keeps its resources, and a cluster that may not begin is requeued',
  },
  {
    controllers: ['upgrade-checks'],
    of: ['UpgradeCheck'],
    field: '.status.lastRefresh',
    why: 'the controller itself writes the time of its last check, and has a timer for the next one',
  },
  {
    controllers: ['etcd-snapshot'],
    of: ['Cluster'],
    field: '.spec.paused',
    why: 'a snapshot that has ended is triggered only by itself',
  },
  {
    controllers: ['snapshot-schedule'],
    of: ['Cluster'],
    levels: ['count'],
    why: 'only the controller itself sets EtcdSnapshotsCurrent; of other conditions it repeats what it read, which a newer Cluster refuses',
  },
  {
    controllers: ['snapshot-schedule'],
    of: ['KubeadmControlPlane'],
    levels: ['object'],
    why: 'it looks every five minutes whether there is an etcd to take a snapshot of',
  },
];

export const isDeliberate = (
  { controllers, of, levels, field = '' }: Silence,
  { controller, kind, level, what }: Gap,
): boolean =>
  controllers.includes(controller) && of.includes(kind) && (!levels || levels.includes(level)) && what.includes(field);
