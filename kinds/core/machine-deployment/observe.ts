import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { readTemplates, type Templates } from '../contract/references.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';

export interface Observed {
  machineDeployment: MachineDeployment;
  cluster: Cluster | undefined;
  /** All that the selector selects, whatever its controller, and all that the deployment owns, whatever its labels. */
  machineSets: Read<MachineSet[]>;
  /** Undefined while they are not counted again: how many there are to be follows from the sets. */
  machines: Read<Machine[]> | undefined;
  templates: Templates | undefined;
}

/** What is said of all Machines stays for a while as it was, unless something else is wanted of them. */
const isCounted = ({ metadata, status }: MachineDeployment, { patientUntil, lastFailure }: Context): boolean =>
  patientUntil === undefined ||
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
    cluster: found(read.get<Cluster>('Cluster', { namespace, name: spec.clusterName })),
    machineSets: read.list<MachineSet>('MachineSet', { ...selected, ...(uid !== undefined && { orOwner: uid }) }),
    machines: isCounted(machineDeployment, context) ? read.list<Machine>('Machine', selected) : undefined,
    templates: readTemplates(read, namespace, spec.template),
  };
};
