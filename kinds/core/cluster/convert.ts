import type { JsonObject } from '../../../machinery/api/object.ts';
import { change, conversion, inEach, inside, move, type Rule, type Value, versionOf } from '../../common/conversion.ts';
import { deletionTimeouts, failure, reference, statusFields } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { strategyRules } from '../machine-deployment/convert.ts';
import { checkRules } from '../machine-health-check/convert.ts';
import { clusterSpec, clusterSpecV1beta1, clusterStatus, clusterStatusV1beta1 } from './schema.ts';

const healthCheck: Rule[] = [
  move('machineHealthCheck.enable', 'healthCheck.enabled'),
  ...checkRules('machineHealthCheck', 'healthCheck'),
];
const topology: Rule[] = [
  move('class', 'classRef.name'),
  move('classNamespace', 'classRef.namespace'),
  inside('controlPlane', [...healthCheck, ...deletionTimeouts]),
  inEach('workers.machineDeployments', [
    ...healthCheck,
    ...deletionTimeouts,
    ...strategyRules('healthCheck.remediation.maxInFlight'),
  ]),
  inEach('workers.machinePools', deletionTimeouts),
];

/** v1beta1 has a map by name, v1beta2 a list of named items. */
const failureDomains: Value = {
  up: (value) =>
    typeof value === 'object' && value && !Array.isArray(value)
      ? Object.keys(value)
          .sort()
          .map((name) => ({ ...(value[name] as JsonObject), name }))
      : undefined,
  down: (value) =>
    Array.isArray(value)
      ? Object.fromEntries((value as JsonObject[]).map(({ name, ...domain }) => [String(name), domain]))
      : undefined,
};

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: clusterSpecV1beta1, status: clusterStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: clusterSpec, status: clusterStatus }),
  [
    change('spec.controlPlaneRef', reference),
    change('spec.infrastructureRef', reference),
    inside('spec.topology', topology),
    ...statusFields({ shared: ['controlPlane', 'workers'], old: failure }),
    move('status.controlPlaneReady', 'status.initialization.controlPlaneInitialized'),
    move('status.infrastructureReady', 'status.initialization.infrastructureProvisioned'),
    change('status.failureDomains', failureDomains),
  ],
);
