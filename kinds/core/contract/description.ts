/** The objects that describe a cluster, and the templates that they refer to. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Cluster } from '../cluster/schema.ts';
import { isDeleting } from './machines.ts';
import { findNamed } from './named.ts';
import { follow, followPart } from './references.ts';

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
  /** Why other references cannot be followed. */
  unusable: string[];
}

export const isIncomplete = ({ missing, unusable }: Description): boolean => missing.length + unusable.length > 0;

/** What a creation waits for; undefined if the description is complete. */
export const waitsFor = ({ missing, unusable }: Description): string | undefined => {
  const absent = missing.length > 0 ? [`${listOf(missing)} ${missing.length > 1 ? 'do' : 'does'} not exist`] : [];
  const reasons = [...absent, ...unusable];
  return reasons.length > 0 ? reasons.join('; ') : undefined;
};

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

const becauseOf = (read: Read<unknown>): string | undefined => (read.state === 'absent' ? read.because : undefined);

const gather = (references: readonly Ruled[], get: (reference: Ruled) => Read<KubeObject>): Description => {
  const reads = references.map((reference) => ({ ...reference, read: get(reference) }));
  const absent = reads.flatMap(({ kind, name, read }) =>
    read.state === 'found' ? [] : [{ name: `${kind} ${name}`, because: becauseOf(read) }],
  );
  return {
    objects: reads.flatMap(({ read }) => found(read) ?? []),
    missing: absent.flatMap(({ name, because }) => (because === undefined ? [name] : [])),
    unusable: absent.flatMap(({ because }) => because ?? []),
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
  const owners = [findNamed(parts.objects, controlPlaneRef) ?? [], sets].flat();
  const named = new Map(owners.flatMap(templatesOf).map((one) => [`${one.kind}/${one.name}`, one]));
  const templates = gather([...named.values()], get);
  return {
    objects: [cluster, ...parts.objects, ...sets, ...templates.objects],
    missing: [...parts.missing, ...templates.missing],
    unusable: [
      ...(infrastructureRef ? [] : ['spec.infrastructureRef of the Cluster is not set']),
      ...parts.unusable,
      ...templates.unusable,
    ],
  };
};
