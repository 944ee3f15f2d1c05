import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, list, object, required, string } from '../../../machinery/api/schema.ts';
import {
  clusterName,
  conditions,
  deprecated,
  labelSelector,
  legacyConditions,
  observedGeneration,
} from '../../common/schema.ts';
import { checks, legacyChecks, remediation } from './checks-schema.ts';

const shared = {
  clusterName: required(clusterName()),
  selector: required(labelSelector('Machines to check.')),
};

export const machineHealthCheckSpec = object('Which Machines are checked, and what happens to unhealthy ones.', {
  ...shared,
  checks,
  remediation: remediation({}),
});
export const machineHealthCheckSpecV1beta1 = object('Which Machines are checked, and what happens to unhealthy ones.', {
  ...shared,
  ...legacyChecks,
});

const counts = {
  currentHealthy: int32('Checked Machines that are healthy.', { minimum: 0 }),
  expectedMachines: int32('Checked Machines.', { minimum: 0 }),
  remediationsAllowed: int32('How many more Machines may become unhealthy and still be remediated.', { minimum: 0 }),
  targets: list('Names of the checked Machines.', string('A name.', { minLength: 1, maxLength: 253 }), {
    maxItems: 10000,
  }),
};
export const machineHealthCheckStatus = object(
  'What the checks found.',
  {
    ...counts,
    targets: list('Names of the checked Machines.', string('A name.', { minLength: 1, maxLength: 253 }), {
      maxItems: 10000,
      'x-kubernetes-list-type': 'atomic',
    }),
    conditions: conditions(),
    deprecated: deprecated({}),
    observedGeneration: observedGeneration('v1beta2'),
  },
  { minProperties: 1 },
);
export const machineHealthCheckStatusV1beta1 = object('What the checks found.', {
  ...counts,
  conditions: legacyConditions(),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
});

export type MachineHealthCheckSpec = Infer<typeof machineHealthCheckSpec>;
export type MachineHealthCheckStatus = Infer<typeof machineHealthCheckStatus>;
export type MachineHealthCheck = KubeObject<MachineHealthCheckSpec, MachineHealthCheckStatus>;
