/** All controllers of a workload cluster, in their order in a round. */
import type { ClusterController } from '../world.ts';
import { daemonSets } from './daemon-sets.ts';
import { definitions } from './definitions.ts';
import { deployments } from './deployments.ts';
import { disruptionBudgets } from './disruption-budgets.ts';
import { bootstrapTokens, garbage, namespaceDefaults, namespaceDeletion, serviceAddresses } from './housekeeping.ts';
import { jobs } from './jobs.ts';
import { kubelets } from './kubelets.ts';
import { nodes } from './nodes.ts';
import { replicaSets } from './replica-sets.ts';
import { scheduler } from './scheduler/index.ts';
import { statefulSets } from './stateful-sets.ts';
import { claims } from './storage/claims.ts';

/** `types`: all served types; `namespaced`: the namespaced ones. */
export const clusterControllers = (types: () => string[], namespaced: () => string[]): ClusterController[] => [
  definitions,
  namespaceDefaults,
  namespaceDeletion(namespaced),
  garbage(types),
  bootstrapTokens,
  serviceAddresses,
  deployments,
  replicaSets,
  daemonSets,
  statefulSets,
  jobs,
  nodes,
  claims,
  scheduler,
  kubelets,
  disruptionBudgets,
];
