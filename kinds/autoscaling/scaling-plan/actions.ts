/**
 * The writes of a decision: taints on Nodes that leave, marks on Machines, and replicas.
 * cluster-autoscaler writes the same, so that MachineSets choose exactly the marked Machines, and
 * drain and delete them as ever. Machines that are replaced are deleted, as a MachineHealthCheck does.
 * Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, MergePatch } from '../../../machinery/api/reconcile.ts';
import { annotations } from '../../common/labels.ts';
import { deletionOf, patchAsObserved, patchOf } from '../../common/owners.ts';
import { besideAnnotation } from '../../core/contract/draining.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { Decision } from '../plan/decision.ts';
import type { Pool } from '../plan/types.ts';
import type { Observed } from './observe.ts';
import { poolId } from './pools.ts';
import { removalTaints } from './removal-taints.ts';

/** The value of a mark, by which the autoscaler knows its own. */
export const markedBy = 'autoscaler';

const mark = (machine: Machine, value: string | null): Action =>
  patchOf(machine, { metadata: { annotations: { [annotations.deleteMachine]: value } } });

const isOurs = ({ metadata }: Machine): boolean => metadata.annotations?.[annotations.deleteMachine] === markedBy;

/** Whether a mark is left over: the pool keeps all its Machines, so that none leaves by the mark. */
const keepsAll = ({ machines, replicas }: Pool): boolean =>
  machines.filter(({ deleting }) => !deleting).length <= replicas;

/** Removes the name of the client that set the replicas before. */
const replicasPatch = ({ metadata }: KubeObject, replicas: number): MergePatch => ({
  ...(metadata.annotations?.[annotations.replicasSetBy] !== undefined && {
    metadata: { annotations: { [annotations.replicasSetBy]: null } },
  }),
  spec: { replicas },
});

const ofPool = (pool: Pool, observed: Observed, decision: Decision): Action[] => {
  const { deployment } = observed.pools!.find((one) => poolId(one.deployment) === pool.id)!;
  const removed = new Set(decision.remove.filter((one) => one.pool === pool.id).map(({ machine }) => machine));
  const own = new Set(pool.machines.map(({ name }) => name));
  const machines = observed.machines.filter((machine) => own.has(machine.metadata.name) && !isDeleting(machine));
  const chosen = machines.filter(({ metadata }) => removed.has(metadata.name));
  const unmarked = chosen.filter(({ metadata }) => metadata.annotations?.[annotations.deleteMachine] === undefined);
  const scale = decision.scale.find((one) => one.pool === pool.id);
  const beside = new Set(decision.beside.filter((one) => one.pool === pool.id).map(({ machine }) => machine));
  const draining = observed.machines.filter(({ metadata }) => own.has(metadata.name) && beside.has(metadata.name));
  const replaced = new Set(decision.replace.filter((one) => one.pool === pool.id).map(({ machine }) => machine));
  const nodesOf = (some: readonly Machine[]) => new Set(some.flatMap(({ status }) => status?.nodeRef?.name ?? []));
  const staying = keepsAll(pool) ? machines.filter(({ metadata }) => !removed.has(metadata.name)) : [];
  const taints = removalTaints(observed, { leaving: nodesOf(chosen), staying: nodesOf(staying) });
  const writes = [
    ...machines.filter(({ metadata }) => replaced.has(metadata.name)).map(deletionOf),
    ...draining.map((machine) => patchOf(machine, { metadata: { annotations: { [besideAnnotation]: 'true' } } })),
    ...staying.filter(isOurs).map((machine) => mark(machine, null)),
    ...unmarked.map((machine) => mark(machine, markedBy)),
    // Conditional on the observed resourceVersion: replicas that another writer changed meanwhile win.
    ...(scale ? [patchAsObserved(deployment, replicasPatch(deployment, scale.to))] : []),
  ];
  return [...taints, ...writes.map((action) => ({ ...action, group: pool.id }))];
};

/** A pool whose marks fail is not scaled; the other pools are. */
export const actionsOf = (pools: readonly Pool[], observed: Observed, decision: Decision): Action[] => {
  const isLeft = ({ id }: Pool) => decision.conflicts.some(({ pool }) => pool === id);
  return pools.filter((pool) => !pool.held && !isLeft(pool)).flatMap((pool) => ofPool(pool, observed, decision));
};
