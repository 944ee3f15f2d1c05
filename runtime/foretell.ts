/** What the topology controller would do for a Cluster that is about to be written: the same decisions, without effects. */

import type { Cluster } from '../kinds/core/cluster/schema.ts';
import type { Change } from '../kinds/core/topology/changes.ts';
import { type Observed, observe } from '../kinds/core/topology/observe.ts';
import type { JsonValue, KubeObject } from '../machinery/api/object.ts';
import { createReader } from '../machinery/controller/reader.ts';
import { apiPort } from './api-port.ts';
import type { Foundation } from './foundation.ts';

const rounds = 9;

export const topologyPlan = async (
  foundation: Pick<Foundation, 'store' | 'kinds' | 'writer' | 'clock'>,
  cluster: KubeObject,
  config: Record<string, JsonValue>,
): Promise<Observed> => {
  const { store, kinds, clock } = foundation;
  const reader = createReader({ store, kinds, ports: { api: apiPort(foundation) }, now: clock.now() });
  const context = { config, now: clock.now(), isTrial: true };
  let observed = observe(cluster as Cluster, reader.reader, context);
  for (let round = 0; round < rounds && (await reader.fetch()); round++)
    observed = observe(cluster as Cluster, reader.reader, context);
  return observed;
};

const textOf = ({ effect, object, before }: Change): string => {
  const name = `${object.kind} ${object.metadata.name}`;
  switch (effect) {
    case 'create':
      return `would create ${name}`;
    case 'rotate':
      return `would create ${name} in place of ${before?.metadata.name}`;
    case 'delete':
      return `would delete ${name}`;
    default:
      return `would update ${name}`;
  }
};

/** A line for each change. */
export const foretold = (observed: Observed): string[] => {
  if (observed.is === 'idle' || observed.is === 'deleting') return [];
  if (observed.is === 'blocked') return [`topology: ${observed.progress.message ?? observed.progress.reason}`];
  const { changes, unused } = observed;
  return [
    ...changes.refused.map((why) => `topology: would be refused: ${why}`),
    ...[...changes.all, ...unused].map((change) => `topology: ${textOf(change)}`),
  ];
};
