/** The settings of the autoscaler, on the objects of others. */
import { type AnnotationRules, checked, type WingAnnotations } from '../common/annotation-checks.ts';
import { autoscale } from '../common/autoscale/annotations.ts';
import { type LimitName, limitAnnotations, limitFaults } from '../common/autoscale/limits.ts';
import { planIn } from '../common/autoscale/plan-entry.ts';
import { unknownAutoscale } from './settings/unknown.ts';
import { validatePool } from './settings/validate-pool.ts';

/** What a kind may limit. */
const limits = (...names: LimitName[]): AnnotationRules => {
  const known = names.map((name) => limitAnnotations[name]);
  const checks = names.map((name) => [
    limitAnnotations[name],
    (field: string, value: string) => limitFaults(name, field, value),
  ]);
  const ofValues = checked(Object.fromEntries(checks));
  return (object, admission) => [...unknownAutoscale(object, admission.old, known), ...ofValues(object, admission)];
};

export const autoscalingAnnotations: WingAnnotations = {
  Cluster: limits('nodes', 'vCPU', 'dollarsPerHour'),
  Namespace: limits('vCPU', 'dollarsPerHour'),
  MachineDeployment: (deployment, { old, related }) => [
    ...validatePool(deployment, planIn(related)),
    ...unknownAutoscale(deployment, old, Object.values(autoscale)),
  ],
};
