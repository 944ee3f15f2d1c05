import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { NodeObject } from '../../../../simulation/workload/objects.ts';
import { podsIn, podsPerNode } from '../../scenarios/autoscaling/pods.ts';
import { underWay } from '../grace.ts';
import { hostOf, isGoing } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { machinesOf, poolsIn, type Scaling, scalingOf } from './pools.ts';

const second = 1000;
const minute = 60 * second;
const apart = 10 * second;
/** A Machine without a Node after this long may be replaced. */
const longestStart = 14 * minute;

/** Nodes that take pods. */
const isServing = ({ metadata, spec, status }: NodeObject): boolean =>
  !metadata.deletionTimestamp &&
  !spec?.unschedulable &&
  !spec?.taints?.some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute') &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Moves of pods to a cheaper node in an hour: one, and others if what is known of it is lost. */
const mostMoves = 3;

/**
 * The nodes that come never hold more than the pods that wait: those without a node, and those on
 * nodes that end or do not answer. One at a time may be for pods that move to be cheaper.
 */
export const demand: Rule = ({ world, has }, broken) => {
  const { clock, guests, mirror } = world;
  const serving = () =>
    new Set(
      guests.clusters
        .all()
        .flatMap((cluster) => cluster.seen<NodeObject>('nodes'))
        .filter(isServing)
        .map(({ metadata }) => metadata.name),
    );
  /** Nodes of Machines that stay. */
  const staying = (nodes: ReadonlySet<string>) =>
    new Set(
      mirror
        .all<Machine>('Machine')
        .filter((one) => !isGoing(one) && one.metadata.annotations?.['cluster.x-k8s.io/delete-machine'] === undefined)
        .flatMap(({ status }) => (nodes.has(status?.nodeRef?.name ?? '') ? status!.nodeRef!.name : [])),
    );
  const waiting = (): number => {
    const nodes = staying(serving());
    return podsIn(world).filter(({ metadata, spec }) => !metadata.deletionTimestamp && !nodes.has(spec?.nodeName ?? ''))
      .length;
  };
  let seen: { at: number; count: number }[] = [];
  const tick = () => {
    clock.after(apart, tick);
    if (poolsIn(mirror).length === 0) return;
    const now = clock.now();
    seen = [...seen.filter(({ at }) => at > now - underWay(has)), { at: now, count: waiting() }];
  };
  clock.after(apart, tick);

  const perNode = (pool: MachineDeployment): number => {
    const { kind, name } = pool.spec!.template.spec.infrastructureRef;
    const template = mirror.get(kind, pool.metadata.namespace ?? '', name)?.spec as
      | { template: { spec: { instanceType?: string } } }
      | undefined;
    return podsPerNode[template?.template.spec.instanceType ?? ''] ?? 1;
  };
  /** Machines that do not become nodes, or no longer are nodes. */
  const isDoomed = (machine: Machine, nodes: ReadonlySet<string>): boolean => {
    const { metadata, status } = machine;
    if (status?.nodeRef) return !nodes.has(status.nodeRef.name);
    const { conditions = [] } = (hostOf(mirror, machine)?.status ?? {}) as { conditions?: { message?: string }[] };
    return (
      status?.phase === 'Failed' ||
      clock.now() - Date.parse(metadata.creationTimestamp!) > longestStart ||
      conditions.some(({ message }) => message?.includes('Insufficient'))
    );
  };
  let moves: number[] = [];
  const isMove = ({ pool, from, to }: Scaling): boolean => {
    if (!pool.metadata.annotations?.['capstan.dev/autoscale-consolidate'] || to > from + 1) return false;
    const now = clock.now();
    moves = [...moves.filter((at) => at > now - 60 * minute), now];
    return moves.length <= mostMoves;
  };
  return {
    onCommit: (commit) => {
      const scaling = scalingOf(commit);
      if (!scaling || scaling.to < scaling.from) return;
      const { pool, min, to } = scaling;
      if (to <= min) return;
      const nodes = serving();
      const machines = machinesOf(mirror, pool).filter((one) => !isGoing(one));
      const there = machines.filter(({ status }) => nodes.has(status?.nodeRef?.name ?? '')).length;
      const doomed = machines.filter((one) => isDoomed(one, nodes)).length;
      const coming = to - there - doomed;
      const most = Math.max(waiting(), ...seen.map(({ count }) => count));
      if ((coming - 1) * perNode(pool) >= most && !isMove(scaling))
        throw broken(
          `${pool.metadata.name} has ${to} replicas, ${there} serving and ${doomed} lost, for at most ${most} waiting pods`,
        );
    },
  };
};
