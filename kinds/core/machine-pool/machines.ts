/** A Machine for each host of which the infrastructure has an object, under that object's name. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf } from '../../common/names.ts';
import { controllerReference } from '../../common/owners.ts';
import { referenceTo } from '../contract/clone.ts';
import { isDeleting, isToBeRemediated } from '../contract/machines.ts';
import { isSkipped, replace } from '../contract/remediation.ts';
import type { Observed } from './observe.ts';
import type { MachinePool } from './schema.ts';

const machineFor = (pool: MachinePool, infraMachine: KubeObject): KubeObject => {
  const { clusterName = '', template } = pool.spec ?? {};
  const { version, deletion, taints } = template?.spec ?? {};
  const { name, namespace = '' } = infraMachine.metadata;
  return {
    apiVersion: pool.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      labels: {
        ...template?.metadata?.labels,
        [labels.cluster]: clusterName,
        [labels.pool]: labelValueOf(pool.metadata.name),
      },
      annotations: { ...template?.metadata?.annotations },
      ownerReferences: [controllerReference(pool)],
    },
    spec: {
      clusterName,
      // The host boots from the pool's data.
      bootstrap: { dataSecretName: '' },
      infrastructureRef: referenceTo(infraMachine),
      ...(version && { version }),
      ...(deletion && { deletion }),
      ...(taints && { taints }),
    },
  };
};

/** Those that a health check asks to remediate are drained and deleted: the infrastructure replaces the host. */
export const remediations = ({ machines }: Observed): Action[] =>
  (found(machines) ?? [])
    .filter((machine) => isToBeRemediated(machine) && !isDeleting(machine) && !isSkipped(machine))
    .flatMap((machine) =>
      replace(machine).map((action) => ({ ...action, group: `remediate ${machine.metadata.name}` })),
    );

export const missingMachines = ({ pool, machines, infraMachines }: Observed): Action[] => {
  const known = found(machines);
  if (!known) return [];
  const names = new Set(known.map(({ metadata }) => metadata.name));
  return (found(infraMachines) ?? [])
    .filter((one) => !isDeleting(one) && !names.has(one.metadata.name))
    .map((one) => ({ do: 'create', object: machineFor(pool, one), buys: true }) as const)
    .map((action) => ({ ...action, group: `Machine ${action.object.metadata.name}` }));
};
