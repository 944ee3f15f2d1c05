/** Commands that let a pool grow beyond its largest size. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sizeAnnotations } from '../../common/autoscale/annotations.ts';
import { type Graph, kubectl } from '../../common/causes/index.ts';
import { nameOf } from './message.ts';
import type { ScalingPlanStatus } from './schema.ts';

export const isAtMaximum = ({ max, replicas }: { max: number; replicas: number }): boolean => replicas >= max;

/** Where a pool's largest size is set: in the ScalingPlan, or in an annotation of its MachineDeployment. */
export const raise = (plan: KubeObject, graph: Graph, pools: readonly string[]): string[] => {
  const states = ((plan.status ?? {}) as ScalingPlanStatus).pools ?? [];
  const settings = (plan.spec as { pools?: { name: string; max?: number }[] }).pools ?? [];
  return states
    .filter((state) => pools.includes(state.pool) && isAtMaximum(state))
    .flatMap(({ pool, max }) => {
      const at = settings.findIndex((one) => one.name === nameOf(pool) && one.max !== undefined);
      const patch = [{ op: 'replace', path: `/spec/pools/${at}/max`, value: max + 1 }];
      if (at >= 0) return [kubectl('patch', plan, `--type json -p '${JSON.stringify(patch)}'`)];
      const deployment = graph.get('MachineDeployment', nameOf(pool));
      const sizes = deployment && sizeAnnotations(deployment);
      return deployment && sizes ? [kubectl('annotate', deployment, `--overwrite ${sizes.max}=${max + 1}`)] : [];
    });
};
