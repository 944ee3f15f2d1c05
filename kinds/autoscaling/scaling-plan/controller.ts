import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, reconcileInSteps } from './reconcile.ts';
import type { ScalingPlan } from './schema.ts';

/**
 * The autoscaler: scales the pools of a cluster for its pending pods. The MachineDeployment
 * controller creates the ScalingPlan when the first pool opts in.
 */
export const autoscaler = ({ machineProviders }: Pick<Providers, 'machineProviders'>) =>
  defineController<ScalingPlan, Observed>({
    name: 'autoscaler',
    for: 'ScalingPlan',
    worker: 'workload',
    level: 'gate',
    watches: [
      // An opt-in, its options, and replicas that others set.
      { kind: 'MachineDeployment', to: 'members', level: 'gate' },
      { kind: 'Machine', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
      { kind: 'Cluster', to: 'members' },
    ],
    finalizer: 'capstan.dev/scaling-plan',
    clusterOf: ({ spec }) => spec?.clusterName,
    conditions: 'v1beta2',
    observe: (plan, read, context) => observe(plan, read, context, machineProviders),
    reconcile,
    reconcileInSteps,
  });
