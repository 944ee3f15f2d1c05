/** References to objects that may be created later than the referrer. */
import { type GroupKind, groupKindOf, isSameKind, type Reference } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';

interface Named {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** The kind that a reference names. One without a group names a kind of the core group. */
export const namedKind = ({ apiGroup = '', kind }: Omit<Named, 'name'>): GroupKind => ({ group: apiGroup, kind });

export const namesKind = (reference: Omit<Named, 'name'> | undefined, kind: GroupKind): boolean =>
  reference !== undefined && isSameKind(namedKind(reference), kind);

/** The object that a reference names, of objects of one namespace. */
export const findNamed = <T extends KubeObject>(objects: readonly T[], reference: Named | undefined): T | undefined =>
  objects.find((object) => object.metadata.name === reference?.name && namesKind(reference, groupKindOf(object)));

export const referencesTo = (...named: (Named | undefined)[]): Reference[] =>
  named.flatMap((one) => (one ? [{ group: one.apiGroup ?? '', kind: one.kind, name: one.name }] : []));

interface MachineTemplate {
  spec?: { bootstrap?: { configRef?: Named }; infrastructureRef?: Named };
}

/** The templates that a set of Machines is created from. */
export const templatesOf = ({ spec }: { spec?: unknown }): Reference[] => {
  const machine = (spec as { template?: MachineTemplate } | undefined)?.template?.spec;
  return referencesTo(machine?.bootstrap?.configRef, machine?.infrastructureRef);
};
