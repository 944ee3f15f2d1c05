import { groupOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, absenceOf, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { controllerOf, hasReference, isControlledBy, ownerReference, ownersOf, ownPatch } from '../../common/owners.ts';
import type { MachineTemplate } from '../machine/schema.ts';

/** Reads the object that a reference names, of a kind with this role. */
export const follow = (
  read: Reader,
  namespace: string,
  { apiGroup: group, kind, name }: { apiGroup?: string; kind: string; name: string },
  role: string,
): Read<KubeObject> => read.get(kind, { namespace, name }, { group, role });

/** A part that another object controls counts as absent: each would follow the other's hosts, and delete them. */
export const unlessAnothers = (owner: KubeObject, part: Read<KubeObject>): Read<KubeObject> => {
  const object = found(part);
  const controller = object && controllerOf(object);
  if (!controller || isControlledBy(object, owner)) return part;
  const because = `${object.kind} ${object.metadata.name} is controlled by ${controller.kind} ${controller.name}: name another one, which this ${owner.kind} has for itself`;
  return { state: 'absent', because };
};

/** The Cluster that the part belongs to: the first of its owners that exists. */
const clusterOf = (part: KubeObject, namespace: string, read: Reader): KubeObject | undefined =>
  ownersOf(part)
    .filter(({ apiVersion, kind }) => kind === 'Cluster' && groupOf(apiVersion) === 'cluster.x-k8s.io')
    .map(({ name, uid }) => ({ uid, cluster: found(read.get<KubeObject>('Cluster', { namespace, name })) }))
    .find(({ uid, cluster }) => cluster?.metadata.uid === uid)?.cluster;

/**
 * Reads the infrastructure or the control plane that a Cluster names. One that belongs to another Cluster
 * counts as absent: two Clusters that share a part would delete it for each other.
 */
export const followPart = (
  read: Reader,
  cluster: KubeObject,
  reference: { apiGroup?: string; kind: string; name: string },
  role: string,
): Read<KubeObject> => {
  const { namespace = '', uid } = cluster.metadata;
  const part = follow(read, namespace, reference, role);
  const object = found(part);
  if (!object || ownersOf(object)[0]?.uid === uid) return part;
  const owner = clusterOf(object, namespace, read);
  if (!owner || owner.metadata.uid === uid) return part;
  const because = `${object.kind} ${object.metadata.name} belongs to Cluster ${owner.metadata.name}: name another one, which this Cluster has for itself`;
  return { state: 'absent', because };
};

/** The templates that a set of Machines is created from. */
export interface Templates {
  infrastructure: Read<KubeObject>;
  /** Undefined if the user supplies the bootstrap data. */
  bootstrap: Read<KubeObject> | undefined;
}

export const readTemplates = (read: Reader, namespace: string, { spec }: MachineTemplate): Templates => {
  const { infrastructureRef, bootstrap } = spec;
  return {
    infrastructure: follow(read, namespace, infrastructureRef, 'InfrastructureMachineTemplate'),
    bootstrap: bootstrap.configRef && follow(read, namespace, bootstrap.configRef, 'BootstrapConfigTemplate'),
  };
};

/** A template that does not exist. */
export interface MissingTemplate {
  kind: string;
  read: Read<KubeObject>;
}

export const missingTemplates = (
  { infrastructure, bootstrap }: Templates,
  { spec }: MachineTemplate,
): MissingTemplate[] => [
  ...(bootstrap?.state === 'absent' ? [{ kind: spec.bootstrap.configRef?.kind ?? '', read: bootstrap }] : []),
  ...(infrastructure.state === 'absent' ? [{ kind: spec.infrastructureRef.kind, read: infrastructure }] : []),
];
export const missingMessage = (templates: readonly MissingTemplate[]): string => {
  const isUnserved = ({ read }: MissingTemplate) => read.state === 'absent' && read.because !== undefined;
  const [first, second] = templates;
  return first && second && !templates.some(isUnserved)
    ? `${first.kind} and ${second.kind} do not exist`
    : templates.map(({ kind, read }) => absenceOf(read, kind)).join(' and ');
};

/** Makes the Cluster an owner of the templates, so that they are collected and moved with it. */
export const ownTemplates = ({ infrastructure, bootstrap }: Templates, cluster: KubeObject): Action[] =>
  [infrastructure, bootstrap].flatMap((template) => {
    if (template?.state !== 'found' || !template.value.kind.endsWith('Template')) return [];
    const owner = ownerReference(cluster);
    if (hasReference(template.value, owner)) return [];
    return [{ ...ownPatch(template.value, owner), group: `template ${template.value.metadata.name}` }];
  });
