/** What a user does inside a cluster with its kubeconfig. */
import { createWorkload } from '../../../../adapters/workload/index.ts';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import type { WorkloadEffects } from '../../../../kinds/ports/workload.ts';
import { guestTransport } from '../../../../simulation/workload/index.ts';
import type { ScenarioContext } from '../context.ts';

/** Rejects when the cluster refuses the request or is unreachable. */
export const within = <E extends 'delete' | 'patch'>(
  { world, desired }: ScenarioContext,
  operation: E,
  input: Omit<WorkloadEffects[E], 'kubeconfig'>,
): Promise<void> => {
  const { data = {} } = world.mirror.get<Secret>('Secret', 'default', `${desired.name}-kubeconfig`) ?? {};
  const kubeconfig = Buffer.from((data as Record<string, string>).value ?? '', 'base64').toString();
  const workload = createWorkload({ transport: guestTransport(world.guests) });
  return workload.effect(operation, { kubeconfig, ...input } as WorkloadEffects[E]);
};
