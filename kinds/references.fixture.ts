/** References as users write them: with the group of the kind that they name. */
import { apiVersionOf } from '../machinery/api/kind.ts';
import { kindsOnDemand } from './on-demand.ts';

const versions: Record<string, string> = { '': 'v1', 'capstan.dev': 'v1alpha1' };

/** Of a kind that Capstan does not serve: a group that it does not serve either. */
const groupFor = (kind: string): string => kindsOnDemand.find((one) => one.kind === kind)?.group ?? 'foreign.example';

export const apiVersionFor = (kind: string): string => {
  const group = groupFor(kind);
  return apiVersionOf(group, versions[group] ?? 'v1beta2');
};

export const referenceTo = (kind: string, name: string) => ({ apiGroup: groupFor(kind), kind, name });
