import { boundsOf } from '../../../../kinds/common/autoscale/annotations.ts';
import { podsIn, usedNodesIn } from '../../scenarios/autoscaling/pods.ts';
import type { Rule } from '../rule.ts';
import { machinesOf, poolsIn } from './pools.ts';

export const servedPods: Rule = ({ world }, broken) => ({
  atEnd: () => {
    if (poolsIn(world.mirror).length === 0) return;
    const waiting = podsIn(world).filter(({ spec }) => spec?.nodeName === undefined);
    if (waiting.length > 0) throw broken(`${waiting.map(({ metadata }) => metadata.name).join(', ')} have none`);
  },
});

export const emptyNodes: Rule = ({ world }, broken) => ({
  atEnd: () => {
    const { mirror } = world;
    const used = usedNodesIn(world);
    for (const pool of poolsIn(mirror)) {
      const { min } = boundsOf(pool)!;
      const machines = machinesOf(mirror, pool);
      const empty = machines.filter(({ status }) => !used.has(status?.nodeRef?.name));
      if (machines.length > min && empty.length > 0)
        throw broken(
          `${pool.metadata.name} has ${machines.length} machines, ${empty.length} of them without pods, and a minimum of ${min}`,
        );
    }
  },
});
