import { conversion, move, type Rule, versionOf } from '../../common/conversion.ts';
import { statusFields } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { counters, setRules } from '../machine-set/convert.ts';
import {
  machineDeploymentSpec,
  machineDeploymentSpecV1beta1,
  machineDeploymentStatus,
  machineDeploymentStatusV1beta1,
} from './schema.ts';

/** `strategy` of v1beta1; `remediation` is the path of maxInFlight in v1beta2. */
export const strategyRules = (remediation: string): Rule[] => [
  move('strategy.type', 'rollout.strategy.type'),
  move('strategy.rollingUpdate.maxSurge', 'rollout.strategy.rollingUpdate.maxSurge'),
  move('strategy.rollingUpdate.maxUnavailable', 'rollout.strategy.rollingUpdate.maxUnavailable'),
  move('strategy.rollingUpdate.deletePolicy', 'deletion.order'),
  move('strategy.remediation.maxInFlight', remediation),
];
const inSpec = (rule: Rule): Rule => ({ ...rule, older: ['spec', ...rule.older], newer: ['spec', ...rule.newer] });

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: machineDeploymentSpecV1beta1, status: machineDeploymentStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: machineDeploymentSpec, status: machineDeploymentStatus }),
  [
    ...setRules,
    ...strategyRules('remediation.maxInFlight').map(inSpec),
    move('spec.rolloutAfter', 'spec.rollout.after'),
    ...statusFields({
      shared: counters,
      old: ['readyReplicas', 'availableReplicas', 'unavailableReplicas', 'updatedReplicas'],
    }),
  ],
);
