/** A Cluster's condition Available. Pure. */

import { priorityByPolarity, summarizeConditions } from '../../../machinery/api/conditions.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';

/** All other reasons report what is being done. */
const faultsOfTopology = ['ReconcileFailed', 'ClusterClassNotReconciled'];

/** Of a Cluster with these conditions, as its parts report it, without the operation's report. */
export const availableByParts = (cluster: Cluster, conditions: ConditionDraft[]): ConditionDraft => {
  const gates = cluster.spec?.availabilityGates ?? [];
  const negative = [
    'Deleting',
    ...gates.filter((gate) => gate.polarity === 'Negative').map((gate) => gate.conditionType),
  ];
  const byPolarity = priorityByPolarity(negative);
  const gone = ['ObjectDeleted', 'ObjectDoesNotExist'];
  const deleting = cluster.metadata.deletionTimestamp !== undefined;
  return summarizeConditions(conditions, {
    type: 'Available',
    of: [
      'Deleting',
      'RemoteConnectionProbe',
      'InfrastructureReady',
      'ControlPlaneAvailable',
      'WorkersAvailable',
      'TopologyReconciled',
      ...gates.map((gate) => gate.conditionType),
    ],
    negative,
    optional: ['TopologyReconciled'],
    reasons: { issue: 'NotAvailable', unknown: 'AvailableUnknown', info: 'Available' },
    priorityOf: (condition) => {
      // During deletion, parts that are already gone are not issues, and neither is a topology on its way.
      if (deleting && gone.includes(condition.reason)) return 'info';
      const isOnItsWay = condition.type === 'TopologyReconciled' && !faultsOfTopology.includes(condition.reason);
      return isOnItsWay ? 'info' : byPolarity(condition);
    },
  });
};
