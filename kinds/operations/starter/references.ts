/** The objects that describe a cluster, and the templates that they refer to. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { follow, followPart } from '../../core/contract/references.ts';

interface Reference {
  apiGroup?: string;
  kind: string;
  name: string;
}
/** A reference, and the role of the kinds that it may name. */
interface Ruled extends Reference {
  role: string;
}
const inRole = (role: string, reference: Reference | undefined): Ruled[] => (reference ? [{ ...reference, role }] : []);

export interface Description {
  /** The Cluster and those described objects that exist. */
  objects: KubeObject[];
  /** Referenced objects that do not exist, such as "AWSCluster mine". */
  missing: string[];
}

type WithTemplates = {
  machineTemplate?: { spec?: { infrastructureRef?: Reference } };
  template?: { spec?: { infrastructureRef?: Reference; bootstrap?: { configRef?: Reference } } };
};

/** The templates of a control plane or of a set of Machines. */
const templatesOf = ({ spec }: KubeObject): Ruled[] => {
  const { machineTemplate, template } = (spec ?? {}) as WithTemplates;
  return [
    ...inRole('InfrastructureMachineTemplate', machineTemplate?.spec?.infrastructureRef),
    ...inRole('InfrastructureMachineTemplate', template?.spec?.infrastructureRef),
    ...inRole('BootstrapConfigTemplate', template?.spec?.bootstrap?.configRef),
  ];
};

const gather = (references: readonly Ruled[], get: (reference: Ruled) => Read<KubeObject>): Description => {
  const reads = references.map((reference) => ({ ...reference, read: get(reference) }));
  return {
    objects: reads.flatMap(({ read }) => found(read) ?? []),
    missing: reads.filter(({ read }) => read.state !== 'found').map(({ kind, name }) => `${kind} ${name}`),
  };
};

/** A Cluster without an infrastructureRef describes no cluster yet. */
export const describe = (cluster: Cluster, read: Reader): Description => {
  const { namespace = '', name } = cluster.metadata;
  const where = { namespace, cluster: name };
  const get = (reference: Ruled) => follow(read, namespace, reference, reference.role);
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const parts = gather(
    [...inRole('InfrastructureCluster', infrastructureRef), ...inRole('ControlPlane', controlPlaneRef)],
    (reference) => followPart(read, cluster, reference, reference.role),
  );
  const sets = ['MachineDeployment', 'MachineSet']
    .flatMap((kind) => found(read.list(kind, where)) ?? [])
    .filter((set) => !isDeleting(set) && !controllerOf(set));
  const owners = [...parts.objects.filter(({ kind }) => kind === controlPlaneRef?.kind), ...sets];
  const named = new Map(owners.flatMap(templatesOf).map((one) => [`${one.kind}/${one.name}`, one]));
  const templates = gather([...named.values()], get);
  return {
    objects: [cluster, ...parts.objects, ...sets, ...templates.objects],
    missing: [
      ...(infrastructureRef ? [] : ['spec.infrastructureRef of the Cluster']),
      ...parts.missing,
      ...templates.missing,
    ],
  };
};
