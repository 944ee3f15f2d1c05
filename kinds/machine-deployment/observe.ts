import { found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { readTemplates, type Templates } from '../common/references.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';

export interface Observed {
  machineDeployment: MachineDeployment;
  cluster: Cluster | undefined;
  /** Everything the selector selects, whoever controls it. */
  machineSets: Read<MachineSet[]>;
  machines: Read<Machine[]>;
  templates: Templates | undefined;
}

export const observe = (machineDeployment: MachineDeployment, read: Reader): Observed => {
  const { namespace = '' } = machineDeployment.metadata;
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
    machineSets: read.list<MachineSet>('MachineSet', selected),
    machines: read.list<Machine>('Machine', selected),
    templates: readTemplates(read, namespace, spec.template),
  };
};
