/** Finds the templates of a topology that no object refers to any more. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { topologyLabels } from '../contract/topology.ts';
import type { Change, Changes } from './changes.ts';
import type { Facts } from './desired.ts';

interface Machine {
  bootstrap?: { configRef?: { name?: string } };
  infrastructureRef?: { name?: string };
}
const templatesIn = ({ spec }: KubeObject): (string | undefined)[] => {
  const machine = (spec as { template?: { spec?: Machine } } | undefined)?.template?.spec;
  return [machine?.bootstrap?.configRef?.name, machine?.infrastructureRef?.name];
};

const roles = ['InfrastructureMachineTemplate', 'BootstrapConfigTemplate'];

/**
 * While a rollout goes on, an operation may still return to the former templates. Undefined while something
 * is unread.
 */
export const unusedTemplates = (read: Reader, { cluster, state }: Facts, changes: Changes): Change[] | undefined => {
  const { controlPlane, deployments } = state;
  const owners = [...(controlPlane ? [controlPlane] : []), ...deployments.values()];
  if (changes.all.length > 0 || !controlPlane || owners.some(({ isSettled }) => !isSettled)) return [];
  const { namespace = '', name } = cluster.metadata;
  const where = { namespace, cluster: name };
  const owned = { matchExpressions: [{ key: topologyLabels.owned, operator: 'Exists' as const }] };
  const lists = roles.map((role) => read.list({ role }, { ...where, labels: owned }));
  const sets = read.list('MachineSet', where);
  if ([...lists, sets].some(({ state: is }) => is === 'unread')) return undefined;
  const users = [...[...deployments.values()].map(({ object }) => object), ...(found(sets) ?? [])];
  const used = new Set([controlPlane.template, ...users.flatMap(templatesIn)]);
  return lists
    .flatMap((list) => found(list) ?? [])
    .filter((template) => isOwnedBy(template, cluster) && !used.has(template.metadata.name))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((object) => ({ effect: 'delete', object, group: `${object.kind} ${object.metadata.name}` }));
};
