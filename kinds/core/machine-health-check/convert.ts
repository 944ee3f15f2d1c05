import { conversion, eachOf, move, nested, type Rule, versionOf } from '../../common/conversion.ts';
import { seconds, statusFields, templateReference } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import {
  machineHealthCheckSpec,
  machineHealthCheckSpecV1beta1,
  machineHealthCheckStatus,
  machineHealthCheckStatusV1beta1,
} from './schema.ts';

const withTimeouts = eachOf(nested([move('timeout', 'timeoutSeconds', seconds)]));

/** `older` and `newer` are the paths of the objects that hold the fields. */
export const checkRules = (older: string, newer: string): Rule[] => [
  move(`${older}.maxUnhealthy`, `${newer}.remediation.triggerIf.unhealthyLessThanOrEqualTo`),
  move(`${older}.unhealthyRange`, `${newer}.remediation.triggerIf.unhealthyInRange`),
  move(`${older}.remediationTemplate`, `${newer}.remediation.templateRef`, templateReference),
  move(`${older}.nodeStartupTimeout`, `${newer}.checks.nodeStartupTimeoutSeconds`, seconds),
  move(`${older}.unhealthyConditions`, `${newer}.checks.unhealthyNodeConditions`, withTimeouts),
  move(`${older}.unhealthyMachineConditions`, `${newer}.checks.unhealthyMachineConditions`, withTimeouts),
];

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: machineHealthCheckSpecV1beta1, status: machineHealthCheckStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: machineHealthCheckSpec, status: machineHealthCheckStatus }),
  [...checkRules('spec', 'spec'), ...statusFields()],
);
