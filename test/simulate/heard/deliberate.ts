/** Watches that are omitted on purpose, each with the reason. */
import type { Part } from '../../../machinery/api/wiring.ts';
import type { Gap } from './listen.ts';

interface Silence {
  controllers: readonly string[];
  of: readonly string[];
  /** Only these changes; all changes when absent. */
  on?: readonly Part[];
  /** Only this field. */
  field?: string;
  why: string;
  /** Another controller is notified and passes the change on. */
  isRelayed?: true;
}

const status: Part[] = ['status', 'facts', 'verdict', 'available', 'latched'];

export const deliberate: readonly Silence[] = [
  {
    controllers: ['cluster-operation'],
    of: ['KubeadmControlPlane', 'MachineDeployment', 'MachineSet', 'Machine', 'AWSMachine'],
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
    on: status,
    why: 'the Cluster reports that its control plane is initialized',
    isRelayed: true,
  },
  {
    controllers: ['kubeadm-control-plane'],
    of: ['KubeadmConfig'],
    on: ['spec', 'deleted'],
    why: 'the Machine reports whether its bootstrap config is up to date',
    isRelayed: true,
  },
  {
    controllers: ['kubeadm-control-plane', 'machine-set'],
    of: ['AWSMachine', 'KubeadmConfig'],
    on: ['labels', 'metadata'],
    why: 'the Machine restores labels of its infrastructure object and bootstrap config; other controllers follow at the next resync (ADR 38)',
  },
  {
    controllers: ['machine'],
    of: ['MachineDeployment'],
    on: ['deleted'],
    why: 'its Machines are deleted with it, and for orphaned Machines only the desired template changes',
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
    on: ['deleted'],
    why: 'an existing cluster keeps its resources, and a cluster that may not begin is requeued',
  },
];

export const isDeliberate = (
  { controllers, of, on, field = '' }: Silence,
  { controller, kind, parts, what }: Gap,
): boolean =>
  controllers.includes(controller) &&
  of.includes(kind) &&
  (!on || parts.every((part) => on.includes(part))) &&
  what.includes(field);
