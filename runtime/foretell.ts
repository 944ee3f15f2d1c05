/** What the topology controller would do for a Cluster that is about to be written: the same decisions, without effects. */

import { labels } from '../kinds/common/labels.ts';
import { listOf } from '../kinds/common/list-of.ts';
import { controllerOf } from '../kinds/common/owners.ts';
import { controlPlanes } from '../kinds/control-planes.ts';
import type { Cluster } from '../kinds/core/cluster/schema.ts';
import { rolloutRevision } from '../kinds/core/contract/deployment.ts';
import { machine } from '../kinds/core/machine/kind.ts';
import type { MachineDeployment } from '../kinds/core/machine-deployment/schema.ts';
import type { Change, Effect } from '../kinds/core/topology/changes.ts';
import { type Observed, observe } from '../kinds/core/topology/observe.ts';
import { groupOf, resourceOf } from '../machinery/api/kind.ts';
import type { JsonValue, KubeObject } from '../machinery/api/object.ts';
import { createReader } from '../machinery/controller/reader.ts';
import { apiPort } from './api-port.ts';
import { extensionsPort } from './extensions/port.ts';
import type { Foundation } from './foundation.ts';

const rounds = 9;

export const topologyPlan = async (
  foundation: Pick<Foundation, 'store' | 'kinds' | 'writer' | 'clock' | 'callWebhook' | 'registrations'>,
  cluster: KubeObject,
  config: Record<string, JsonValue>,
): Promise<Observed> => {
  const { store, kinds, clock } = foundation;
  const reader = createReader({
    store,
    kinds,
    ports: { api: apiPort(foundation), extensions: extensionsPort(foundation) },
    now: clock.now(),
  });
  const context = { config, now: clock.now(), isTrial: true };
  let observed = observe(cluster as Cluster, reader.reader, context);
  for (let round = 0; round < rounds && (await reader.fetch()); round++)
    observed = observe(cluster as Cluster, reader.reader, context);
  return observed;
};

/** What would become of one object. */
export interface ForetoldChange {
  effect: Effect;
  /** The whole object that would be stored, or deleted. */
  object: KubeObject;
  /** The name of the template that it takes the place of. */
  instead?: string;
  /** Names of the Machines that would be replaced. */
  replaces: string[];
}

export interface Foretold {
  changes: ForetoldChange[];
  /** Why nothing, or not everything, could be made. */
  problems: string[];
}

/** By what the object's controller compares to find the Machines to replace. */
const revisionOf = (object: KubeObject): string | undefined => {
  if (object.kind === 'MachineDeployment') return rolloutRevision(object as MachineDeployment);
  const isOf = ({ group, kind }: { group: string; kind: string }) =>
    group === groupOf(object.apiVersion) && kind === object.kind;
  return controlPlanes.find(isOf)?.rolloutRevision?.(object);
};

const isReplaced = (machine: KubeObject, { kind, metadata }: KubeObject): boolean =>
  kind === 'MachineDeployment'
    ? machine.metadata.labels?.[labels.deployment] === metadata.name
    : controllerOf(machine)?.uid === metadata.uid;

const foretoldChange = ({ effect, object, before, after }: Change, machines: readonly KubeObject[]): ForetoldChange => {
  const isRollout = effect === 'update' && before && after && revisionOf(before) !== revisionOf(after);
  return {
    effect,
    object: after ?? object,
    ...(effect === 'rotate' && before && { instead: before.metadata.name }),
    replaces: isRollout ? machines.filter((one) => isReplaced(one, before)).map(({ metadata }) => metadata.name) : [],
  };
};

export const foretell = async (
  foundation: Parameters<typeof topologyPlan>[0],
  cluster: KubeObject,
  config: Record<string, JsonValue>,
): Promise<Foretold> => {
  const observed = await topologyPlan(foundation, cluster, config);
  if (observed.is === 'idle' || observed.is === 'deleting') return { changes: [], problems: [] };
  if (observed.is === 'blocked')
    return { changes: [], problems: [observed.progress.message ?? observed.progress.reason] };
  const { changes, unused } = observed;
  const { namespace = '', name } = cluster.metadata;
  const isMember = ({ metadata }: KubeObject) => metadata.labels?.[labels.cluster] === name;
  const machines = changes.all.some(({ effect }) => effect === 'update')
    ? (await foundation.store.list(resourceOf(machine), { namespace, selects: isMember })).objects
    : [];
  return {
    changes: [...changes.all, ...unused].map((change) => foretoldChange(change, machines)),
    problems: changes.refused.map((why) => `would be refused: ${why}`),
  };
};

const machinesText = (count: number): string => (count === 1 ? '1 Machine' : `${count} Machines`);

const textOf = ({ effect, object, instead, replaces }: ForetoldChange): string[] => {
  const name = `${object.kind} ${object.metadata.name}`;
  switch (effect) {
    case 'create':
      return [`would create ${name}`];
    case 'rotate':
      return [`would create ${name} in place of ${instead}`];
    case 'delete':
      return [`would delete ${name}`];
    default:
      return [
        `would update ${name}`,
        ...(replaces.length > 0
          ? [`would replace ${machinesText(replaces.length)} of ${name}: ${listOf(replaces)}`]
          : []),
      ];
  }
};

/** A line for each change, and one for the Machines that it replaces. */
export const linesOf = ({ changes, problems }: Foretold): string[] =>
  [...problems, ...changes.flatMap(textOf)].map((line) => `topology: ${line}`);
