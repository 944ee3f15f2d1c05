/** What makes a Machine unhealthy and when it is remediated; ClusterClass topologies have the same fields. */
import {
  atomicList,
  int32,
  intOrString,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../../machinery/api/schema.ts';
import { duration, objectReference, qualifiedName, templateReference } from '../../common/schema.ts';

const noEmpty = { minProperties: 1 };
/** Conditions that the health check itself causes. */
const own = ['Ready', 'Available', 'HealthCheckSucceeded', 'OwnerRemediated', 'ExternallyRemediated'];

const range = string('Remediates only while the number of unhealthy machines is in this range, such as [3-5].', {
  minLength: 1,
  maxLength: 32,
  pattern: '^\\[[0-9]+-[0-9]+\\]$',
});
const notMore = intOrString(
  'Remediates only while not more machines than this are unhealthy, as a count or a percentage.',
);
const machineConditionType = required(
  string('Type of the condition.', {
    minLength: 1,
    maxLength: 316,
    pattern: qualifiedName,
    'x-kubernetes-validations': [
      {
        rule: `!(self in [${own.map((type) => `'${type}'`).join(',')}])`,
        message: `type must not be one of: ${own.join(', ')}`,
      },
    ],
  }),
);
const conditionStatus = required(oneOf('Status of the condition that is unhealthy.', ['True', 'False', 'Unknown']));
const nodeConditionType = required(string('Type of the condition.', { minLength: 1 }));
const nodeConditionStatus = required(string('Status of the condition that is unhealthy.', { minLength: 1 }));
const timeoutSeconds = required(int32('Seconds the condition must last.', { minimum: 0 }));
const timeout = required(duration('How long the condition must last, as a duration such as 5m.'));
const machineConditions = <T>(item: Schema<T>) =>
  atomicList('Conditions of a Machine that make it unhealthy.', item, { minItems: 1, maxItems: 100 });
const nodeConditionsText = 'Conditions of a Node that make its machine unhealthy.';

export const checks = object(
  'What makes a machine unhealthy.',
  {
    nodeStartupTimeoutSeconds: int32('Seconds a machine may take until its Node is there; 0 is no limit.', {
      minimum: 0,
    }),
    unhealthyMachineConditions: machineConditions(
      object('A condition.', { status: conditionStatus, timeoutSeconds, type: machineConditionType }),
    ),
    unhealthyNodeConditions: atomicList(
      nodeConditionsText,
      object('A condition.', { status: nodeConditionStatus, timeoutSeconds, type: nodeConditionType }),
      { minItems: 1, maxItems: 100 },
    ),
  },
  noEmpty,
);

export const remediation = <P extends Record<string, Schema<unknown>>>(extra: P) =>
  object(
    'When and how unhealthy machines are replaced.',
    {
      ...extra,
      templateRef: templateReference('Template of the object that asks an external controller to remediate.'),
      triggerIf: object(
        'When to remediate at all.',
        { unhealthyInRange: range, unhealthyLessThanOrEqualTo: notMore },
        noEmpty,
      ),
    },
    noEmpty,
  );

/** The same fields in v1beta1. */
export const legacyChecks = {
  maxUnhealthy: notMore,
  nodeStartupTimeout: duration('How long a machine may take until its Node is there; 0 is no limit.'),
  remediationTemplate: objectReference('Template of the object that asks an external controller to remediate.'),
  unhealthyConditions: list(
    nodeConditionsText,
    object('A condition.', { status: nodeConditionStatus, timeout, type: nodeConditionType }),
    { maxItems: 100 },
  ),
  unhealthyMachineConditions: machineConditions(
    object('A condition.', { status: conditionStatus, timeout, type: machineConditionType }),
  ),
  unhealthyRange: range,
};
