/** Answers a request once. Pure. */
import type { JsonObject } from '../../../machinery/api/object.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { ownerReference, patchAsObserved } from '../../common/owners.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import type { InfrastructureCheck } from './index.ts';
import { isAnswered, type Observed } from './observe.ts';

const jsonOf = (preflight: Preflight | undefined): JsonObject | null => {
  if (!preflight) return null;
  const { findings, ...rest } = preflight;
  return { ...rest, findings: (findings ?? []).map(({ at, ...one }) => ({ ...one, ...(at && { at: { ...at } }) })) };
};

export const reconcile = ({ cluster, request, before, preflight }: Observed): Plan => {
  if (request === undefined || !before || before.state === 'unreadable') return {};
  const last = found(before);
  if (isAnswered(last, cluster, request)) return {};
  const { namespace = '', name } = cluster.metadata;
  const metadata = { labels: { [labels.cluster]: name }, ownerReferences: [ownerReference(cluster)] };
  if (last)
    return {
      actions: [
        patchAsObserved(last, { metadata, spec: { clusterName: name, request, preflight: jsonOf(preflight) } }),
      ],
    };
  const object: InfrastructureCheck = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'InfrastructureCheck',
    metadata: { namespace, name, ...metadata },
    spec: { clusterName: name, request, preflight: preflight ?? null },
  };
  return { actions: [{ do: 'create', object }] };
};
