import { labelMatcher } from '../../machinery/api/labels.ts';
import type { LabelSelector } from '../../machinery/api/object.ts';
import type { Store } from '../../machinery/store/store.ts';
import type { Registration } from './registrations.ts';

const selectsAll = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/** Those that are called for a namespace, which is read only if a selector may exclude it. */
export const selectedIn = async (
  store: Pick<Store, 'get'>,
  all: readonly Registration[],
  namespace: string,
): Promise<Registration[]> => {
  if (all.every(({ namespaceSelector }) => selectsAll(namespaceSelector))) return [...all];
  const labels = (await store.get('namespaces', { namespace: '', name: namespace }))?.metadata.labels;
  return all.filter(({ namespaceSelector }) => labelMatcher(namespaceSelector)(labels));
};
