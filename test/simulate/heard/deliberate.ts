/** Who is not told of something that he reads, and why that is well. */
import type { Part } from '../../../machinery/api/wiring.ts';
import type { Gap } from './listen.ts';

interface Silence {
  controllers: readonly string[];
  of: readonly string[];
  /** These changes alone; absent = all of them. */
  on?: readonly Part[];
  /** This field alone. */
  field?: string;
  why: string;
  /** It hears of it by somebody else, who is told. */
  isRelayed?: true;
}

const status: Part[] = ['status', 'facts', 'verdict', 'available', 'latched'];

export const deliberate: readonly Silence[] = [
  {
    controllers: ['cluster-operation'],
    of: ['KubeadmControlPlane', 'MachineDeployment', 'MachineSet', 'Machine', 'AWSMachine'],
    why: 'the Cluster says what becomes of its parts',
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
    why: 'the Cluster says that its control plane is initialized',
    isRelayed: true,
  },
  {
    controllers: ['kubeadm-control-plane'],
    of: ['KubeadmConfig'],
    on: ['spec', 'deleted'],
    why: 'the Machine says whether it is as it should be',
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
    why: 'its Machines go with it, and of those that are left behind only what they should be is another',
  },
  {
    controllers: ['cluster', 'kubeadm-control-plane', 'machine'],
    of: ['WorkloadSnapshot'],
    field: '.metadata.ownerReferences',
    why: 'its prober alone says whose it is',
  },
  {
    controllers: ['aws-cluster'],
    of: ['AWSClusterControllerIdentity', 'Namespace'],
    on: ['deleted'],
    why: 'what stands is not given up for it, and who may not begin looks again by itself',
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
