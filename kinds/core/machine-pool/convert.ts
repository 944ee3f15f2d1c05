import { conversion, inside, move, versionOf } from '../../common/conversion.ts';
import { failure, statusFields } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { machineSpecRules } from '../machine/convert.ts';
import { counters } from '../machine-set/convert.ts';
import { machinePoolSpec, machinePoolSpecV1beta1, machinePoolStatus, machinePoolStatusV1beta1 } from './schema.ts';

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: machinePoolSpecV1beta1, status: machinePoolStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: machinePoolSpec, status: machinePoolStatus }),
  [
    // Must come before the template: on the way down, this field must leave the template first.
    move('spec.minReadySeconds', 'spec.template.spec.minReadySeconds'),
    inside('spec.template.spec', machineSpecRules),
    ...statusFields({
      shared: counters,
      old: ['readyReplicas', 'availableReplicas', 'unavailableReplicas', ...failure],
    }),
    move('status.bootstrapReady', 'status.initialization.bootstrapDataSecretCreated'),
    move('status.infrastructureReady', 'status.initialization.infrastructureProvisioned'),
  ],
);
