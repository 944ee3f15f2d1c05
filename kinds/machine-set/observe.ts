import type { KubeObject } from '../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { templatedKind } from '../common/clone.ts';
import { labels } from '../common/labels.ts';
import { readTemplates, type Templates } from '../common/references.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import { namesInCreation } from './creation.ts';
import type { MachineSet } from './schema.ts';

export interface Observed {
  machineSet: MachineSet;
  cluster: Cluster | undefined;
  /** Undefined for a set of no MachineDeployment. */
  machineDeployment: MachineDeployment | undefined;
  /** Everything the selector selects, whoever controls it. */
  machines: Read<Machine[]>;
  /** Machines there are under the names that were written down to be created, selected or not. */
  created: Machine[];
  templates: Templates | undefined;
  /** What stands behind machines: found by the same labels. */
  infraMachines: Read<KubeObject[]>;
  bootstrapConfigs: Read<KubeObject[]>;
  controlPlane: KubeObject | undefined;
}

const nothing: Read<never[]> = { state: 'found', value: [] };

export const observe = (machineSet: MachineSet, read: Reader): Observed => {
  const { namespace = '' } = machineSet.metadata;
  const { spec } = machineSet;
  if (!spec)
    return {
      machineSet,
      cluster: undefined,
      machineDeployment: undefined,
      machines: { state: 'unread' },
      created: [],
      templates: undefined,
      infraMachines: nothing,
      bootstrapConfigs: nothing,
      controlPlane: undefined,
    };
  const cluster = found(read.get<Cluster>('Cluster', { namespace, name: spec.clusterName }));
  const deployment = machineSet.metadata.labels?.[labels.deployment];
  const selected = { namespace, cluster: spec.clusterName, labels: spec.selector };
  const { infrastructureRef, bootstrap } = spec.template.spec;
  const { controlPlaneRef } = cluster?.spec ?? {};
  return {
    machineSet,
    cluster,
    machineDeployment:
      deployment === undefined
        ? undefined
        : found(read.get<MachineDeployment>('MachineDeployment', { namespace, name: deployment })),
    machines: read.list<Machine>('Machine', selected),
    created: namesInCreation(machineSet).flatMap(
      (name) => found(read.get<Machine>('Machine', { namespace, name })) ?? [],
    ),
    templates: readTemplates(read, namespace, spec.template),
    infraMachines: read.list(templatedKind(infrastructureRef.kind), selected),
    bootstrapConfigs: bootstrap.configRef ? read.list(templatedKind(bootstrap.configRef.kind), selected) : nothing,
    controlPlane: controlPlaneRef && found(read.get(controlPlaneRef.kind, { namespace, name: controlPlaneRef.name })),
  };
};
