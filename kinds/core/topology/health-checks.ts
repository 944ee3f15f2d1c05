/** MachineHealthChecks of a topology. Pure. */
import type { JsonObject, KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { labels as names } from '../../common/labels.ts';
import { ownerReference } from '../../common/owners.ts';
import { coreGroup } from '../../common/versions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { topologyLabels } from '../contract/topology.ts';
import { defaultMachineHealthCheck } from '../machine-health-check/validate.ts';

interface HealthCheck {
  enabled?: boolean;
  checks?: JsonObject | object;
  remediation?: { maxInFlight?: number | string; templateRef?: unknown; triggerIf?: unknown };
}

const isDefined = (check: HealthCheck | undefined): check is HealthCheck =>
  check?.checks !== undefined || check?.remediation !== undefined;

/** That of the topology, or else of the class; undefined if there shall be none. */
export const healthCheckOf = (
  ofTopology: HealthCheck | undefined,
  ofClass: HealthCheck | undefined,
): HealthCheck | undefined => {
  if (ofTopology?.enabled === false) return undefined;
  if (isDefined(ofTopology)) return ofTopology;
  return isDefined(ofClass) ? ofClass : undefined;
};

export const selectors = {
  controlPlane: { matchLabels: { [topologyLabels.owned]: '', [names.controlPlane]: '' } },
  deployment: (topologyName: string): LabelSelector => ({
    matchLabels: { [topologyLabels.owned]: '', [topologyLabels.deployment]: topologyName },
  }),
};

/** `name`: of what it checks. */
export const desiredHealthCheck = (
  cluster: Cluster,
  name: string,
  selector: LabelSelector,
  { checks, remediation }: HealthCheck,
): KubeObject => {
  const { maxInFlight: _, ...rest } = remediation ?? {};
  const check: KubeObject = {
    apiVersion: `${coreGroup}/v1beta2`,
    kind: 'MachineHealthCheck',
    metadata: {
      namespace: cluster.metadata.namespace ?? '',
      name,
      labels: { [topologyLabels.owned]: '' },
      ownerReferences: [ownerReference(cluster)],
    },
    spec: {
      clusterName: cluster.metadata.name,
      selector: selector,
      ...(checks && { checks }),
      ...(Object.keys(rest).length > 0 && { remediation: rest }),
    },
  };
  return defaultMachineHealthCheck(check);
};
