import { isDeepStrictEqual } from 'node:util';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { validateReplicas } from '../../common/replicas.ts';
import {
  forbiddenField,
  immutable,
  validateIntOrPercent,
  validateNameAsLabel,
  validateRollingUpdate,
  validateSelector,
  validateSkippedPreflights,
} from '../../common/validate.ts';
import { validateRebalance } from '../contract/interruption.ts';
import { validateBackoff, validateSetSpec } from '../machine-set/validate.ts';
import { generated, validateSelectable } from '../shared/selectable.ts';
import type { MachineDeployment } from './schema.ts';

const selectingOf = ({ metadata, spec }: MachineDeployment) => ({
  selector: spec?.selector ?? {},
  given: {
    [labels.deployment]: metadata.name,
    [labels.cluster]: spec?.clusterName ?? '',
    [labels.set]: generated,
    [labels.templateHash]: generated,
  },
});

export const validateMachineDeployment = (object: KubeObject, { old }: Admission): FieldError[] => {
  const deployment = object as MachineDeployment;
  const { spec } = deployment;
  if (!spec) return [];
  const stored = old as MachineDeployment | undefined;
  const before = stored?.spec;
  return [
    ...validateNameAsLabel(deployment.metadata.name),
    ...validateSelector(spec.selector, spec.template.metadata?.labels, forbiddenField),
    ...validateSelectable(selectingOf(deployment), stored && selectingOf(stored)),
    ...(before && !isDeepStrictEqual(before.selector, spec.selector) ? [immutable('spec.selector')] : []),
    ...validateSkippedPreflights(deployment),
    ...validateBackoff(deployment, stored),
    ...validateRebalance(deployment),
    ...validateReplicas(deployment),
    ...validateRollingUpdate('spec.rollout.strategy.rollingUpdate', spec.rollout?.strategy?.rollingUpdate),
    ...validateIntOrPercent('spec.remediation.maxInFlight', spec.remediation?.maxInFlight),
    ...validateSetSpec(spec, before),
  ];
};
