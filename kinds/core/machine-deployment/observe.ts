import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import type { Cluster } from '../cluster/schema.ts';
import { readTemplates, type Templates } from '../contract/references.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';

export interface Observed {
  machineDeployment: MachineDeployment;
  cluster: Cluster | undefined;
  /**
   * All sets that the selector selects, whatever their controller, and all that the
   * MachineDeployment owns, whatever their labels.
   */
  machineSets: Read<MachineSet[]>;
  /** Undefined while the debounce lasts: the desired replicas follow from the sets alone. */
  machines: Read<Machine[]> | undefined;
  templates: Templates | undefined;
  /** Only for a pool that opted in: what scales it. */
  scalingPlan?: Read<KubeObject>;
}

/** The conditions over all Machines are debounced, unless the spec has changed. */
const isCounted = ({ metadata, status }: MachineDeployment, { debouncedUntil, lastFailure }: Context): boolean =>
  debouncedUntil === undefined ||
  lastFailure !== undefined ||
  metadata.deletionTimestamp !== undefined ||
  status?.observedGeneration !== metadata.generation;

export const observe = (machineDeployment: MachineDeployment, read: Reader, context: Context): Observed => {
  const { namespace = '', uid } = machineDeployment.metadata;
  const { spec } = machineDeployment;
  if (!spec)
    return {
      machineDeployment,
      cluster: undefined,
      machineSets: { state: 'unread' },
      machines: { state: 'unread' },
      templates: undefined,
    };
  const selected = { namespace, cluster: spec.clusterName, labels: spec.selector };
  return {
    machineDeployment,
    cluster: found(read.get('Cluster', { namespace, name: spec.clusterName })),
    machineSets: read.list('MachineSet', { ...selected, ...(uid !== undefined && { orOwner: uid }) }),
    machines: isCounted(machineDeployment, context) ? read.list('Machine', selected) : undefined,
    templates: readTemplates(read, namespace, spec.template),
    ...(boundsOf(machineDeployment) && {
      scalingPlan: read.get<KubeObject>('ScalingPlan', { namespace, name: spec.clusterName }),
    }),
  };
};
