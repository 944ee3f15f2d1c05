import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { specValue, timeouts } from '../../bootstrap-kubeadm/kubeadm-config/convert.ts';
import { change, conversion, move, type Rule, versionOf } from '../../common/conversion.ts';
import { failure, reference, seconds, statusFields } from '../../common/conversion-values.ts';
import { kubeadmControlPlaneSpec, kubeadmControlPlaneStatus } from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';

/** `spec` of both versions; `spec.template.spec` of its template. */
export const specRules: Rule[] = [
  change('kubeadmConfigSpec', specValue),
  move('machineNamingStrategy', 'machineNaming'),
  move('machineTemplate.infrastructureRef', 'machineTemplate.spec.infrastructureRef', reference),
  move('machineTemplate.readinessGates', 'machineTemplate.spec.readinessGates'),
  move('machineTemplate.taints', 'machineTemplate.spec.taints'),
  ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'].map((field) =>
    move(`machineTemplate.${field}`, `machineTemplate.spec.deletion.${field}Seconds`, seconds),
  ),
  move('rolloutBefore', 'rollout.before'),
  move('rolloutAfter', 'rollout.after'),
  move('rolloutStrategy', 'rollout.strategy'),
  move('remediationStrategy.maxRetry', 'remediation.maxRetry'),
  move('remediationStrategy.retryPeriod', 'remediation.retryPeriodSeconds', seconds),
  move('remediationStrategy.minHealthyPeriod', 'remediation.minHealthyPeriodSeconds', seconds),
];
export const rules: Rule[] = [
  ...specRules.map(({ older, newer, value }) => ({ older: ['spec', ...older], newer: ['spec', ...newer], value })),
  ...statusFields({
    old: [...failure, 'readyReplicas', 'updatedReplicas', 'unavailableReplicas'],
    shared: ['availableReplicas', 'readyReplicas', 'upToDateReplicas'],
  }),
  move('status.initialized', 'status.initialization.controlPlaneInitialized'),
  move('status.lastRemediation.timestamp', 'status.lastRemediation.time'),
];

const group = 'controlplane.cluster.x-k8s.io';
const { toStorage, fromStorage } = conversion(
  versionOf(`${group}/v1beta1`, { spec: v1beta1.kubeadmControlPlaneSpec, status: v1beta1.kubeadmControlPlaneStatus }),
  versionOf(`${group}/v1beta2`, { spec: kubeadmControlPlaneSpec, status: kubeadmControlPlaneStatus }),
  rules,
  timeouts,
);

// `ready` repeats a counter: it is computed for v1beta1 and never stored.
const withoutReady = (object: KubeObject): KubeObject => {
  const { ready: _, ...status } = (object.status ?? {}) as JsonObject;
  return object.status ? { ...object, status } : object;
};
const withReady = (object: KubeObject): KubeObject => {
  const status = (object.status ?? {}) as JsonObject;
  return Number(status.readyReplicas ?? 0) > 0 ? { ...object, status: { ...status, ready: true } } : object;
};

export const kubeadmControlPlaneConversion = {
  toStorage: (object: KubeObject) => toStorage(withoutReady(object)),
  fromStorage: (object: KubeObject) => withReady(fromStorage(object)),
};
