import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { hasReference, ownerReference, ownPatch } from '../../common/owners.ts';
import type { MachineTemplate } from '../machine/schema.ts';

/** The templates that a set of Machines is created from. */
export interface Templates {
  infrastructure: Read<KubeObject>;
  /** Undefined if the user supplies the bootstrap data. */
  bootstrap: Read<KubeObject> | undefined;
}

export const readTemplates = (read: Reader, namespace: string, { spec }: MachineTemplate): Templates => {
  const { infrastructureRef, bootstrap } = spec;
  return {
    infrastructure: read.get(infrastructureRef.kind, { namespace, name: infrastructureRef.name }),
    bootstrap: bootstrap.configRef && read.get(bootstrap.configRef.kind, { namespace, name: bootstrap.configRef.name }),
  };
};

/** The kinds of the referenced templates that do not exist. */
export const missingTemplates = ({ infrastructure, bootstrap }: Templates, { spec }: MachineTemplate): string[] => [
  ...(bootstrap?.state === 'absent' ? [spec.bootstrap.configRef?.kind ?? ''] : []),
  ...(infrastructure.state === 'absent' ? [spec.infrastructureRef.kind] : []),
];
export const missingMessage = (kinds: string[]): string =>
  kinds.length === 0 ? '' : `${kinds.join(' and ')} ${kinds.length === 1 ? 'does' : 'do'} not exist`;

/** Makes the Cluster an owner of the templates, so that they are collected and moved with it. */
export const ownTemplates = ({ infrastructure, bootstrap }: Templates, cluster: KubeObject): Action[] =>
  [infrastructure, bootstrap].flatMap((template) => {
    if (template?.state !== 'found' || !template.value.kind.endsWith('Template')) return [];
    const owner = ownerReference(cluster);
    if (hasReference(template.value, owner)) return [];
    return [{ ...ownPatch(template.value, owner), group: `template ${template.value.metadata.name}` }];
  });
