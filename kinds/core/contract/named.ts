/** References to objects that may be created later than the referrer. */
import type { Reference } from '../../../machinery/api/kind.ts';

interface Named {
  apiGroup?: string;
  kind: string;
  name: string;
}

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
