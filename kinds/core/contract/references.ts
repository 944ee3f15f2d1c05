import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { hasReference, ownerReference, ownPatch } from '../../common/owners.ts';
import type { MachineTemplate } from '../machine/schema.ts';

/** The templates that a set of Machines is made from. */
export interface Templates {
  infrastructure: Read<KubeObject>;
  /** Undefined when bootstrap data is given instead. */
  bootstrap: Read<KubeObject> | undefined;
}

export const readTemplates = (read: Reader, namespace: string, { spec }: MachineTemplate): Templates => {
  const { infrastructureRef, bootstrap } = spec;
  return {
    infrastructure: read.get(infrastructureRef.kind, { namespace, name: infrastructureRef.name }),
    bootstrap: bootstrap.configRef && read.get(bootstrap.configRef.kind, { namespace, name: bootstrap.configRef.name }),
  };
};

/** The kinds of the references whose template is not there. */
export const missingTemplates = ({ infrastructure, bootstrap }: Templates, { spec }: MachineTemplate): string[] => [
  ...(bootstrap?.state === 'absent' ? [spec.bootstrap.configRef?.kind ?? ''] : []),
  ...(infrastructure.state === 'absent' ? [spec.infrastructureRef.kind] : []),
];
export const missingMessage = (kinds: string[]): string =>
  kinds.length === 0 ? '' : `${kinds.join(' and ')} ${kinds.length === 1 ? 'does' : 'do'} not exist`;

/** Templates are the Cluster's, so that they go with it and move with it. */
export const ownTemplates = ({ infrastructure, bootstrap }: Templates, cluster: KubeObject): Action[] =>
  [infrastructure, bootstrap].flatMap((template) => {
    if (template?.state !== 'found' || !template.value.kind.endsWith('Template')) return [];
    const owner = ownerReference(cluster);
    if (hasReference(template.value, owner)) return [];
    return [{ ...ownPatch(template.value, owner), group: `template ${template.value.metadata.name}` }];
  });
