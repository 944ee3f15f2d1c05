import { change, conversion, inside, move, type Rule, type Value, versionOf } from '../../common/conversion.ts';
import { deletionTimeouts, failure, reference, statusFields } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { machineSpec, machineSpecV1beta1, machineStatus, machineStatusV1beta1 } from './schema.ts';

/** `spec` of a Machine or of a Machine template. */
export const machineSpecRules: Rule[] = [
  change('infrastructureRef', reference),
  change('bootstrap.configRef', reference),
  ...deletionTimeouts,
];

const nodeRef: Value = {
  up: (value) =>
    typeof value === 'object' && value && 'name' in value && value.name ? { name: value.name } : undefined,
  down: (value) => (typeof value === 'object' ? { apiVersion: 'v1', kind: 'Node', ...value } : undefined),
};
const phase: Value = { up: (value) => value, down: (value) => (value === 'Updating' ? 'Running' : value) };

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: machineSpecV1beta1, status: machineStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: machineSpec, status: machineStatus }),
  [
    inside('spec', machineSpecRules),
    ...statusFields({ old: failure }),
    move('status.bootstrapReady', 'status.initialization.bootstrapDataSecretCreated'),
    move('status.infrastructureReady', 'status.initialization.infrastructureProvisioned'),
    change('status.nodeRef', nodeRef),
    change('status.phase', phase),
  ],
);
