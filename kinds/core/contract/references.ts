import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, absenceOf, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { hasReference, ownerReference, ownPatch } from '../../common/owners.ts';
import type { MachineTemplate } from '../machine/schema.ts';

/** Reads the object that a reference names, of a kind with this role. */
export const follow = (
  read: Reader,
  namespace: string,
  { apiGroup: group, kind, name }: { apiGroup?: string; kind: string; name: string },
  role: string,
): Read<KubeObject> => read.get(kind, { namespace, name }, { group, role });

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
  const isUnserved = ({ read }: MissingTemplate) => read.state === 'absent' && read.unserved !== undefined;
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
