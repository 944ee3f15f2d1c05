import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { invalidValue, selectorFault } from '../../common/validate.ts';
import type { MachineDrainRule } from './schema.ts';

const selectorErrors = (field: string, selector: LabelSelector | undefined): FieldError[] => {
  const fault = selector && selectorFault(selector);
  return fault ? [invalidValue(field, selector, fault)] : [];
};

export const validateMachineDrainRule = (object: KubeObject, { operation }: Admission): FieldError[] => {
  const { spec } = object as MachineDrainRule;
  if (!spec || operation === 'delete') return [];
  const { drain, machines = [], pods = [] } = spec;
  return [
    ...(drain.behavior !== 'Drain' && drain.order !== undefined
      ? [
          invalidValue(
            'spec.drain.order',
            drain.order,
            'order must not be set if drain behavior is "Skip" or "WaitCompleted"',
          ),
        ]
      : []),
    ...machines.flatMap(({ selector, clusterSelector }, i) => [
      ...selectorErrors(`spec.machines[${i}].selector`, selector),
      ...selectorErrors(`spec.machines[${i}].clusterSelector`, clusterSelector),
    ]),
    ...pods.flatMap(({ selector, namespaceSelector }, i) => [
      ...selectorErrors(`spec.pods[${i}].selector`, selector),
      ...selectorErrors(`spec.pods[${i}].namespaceSelector`, namespaceSelector),
    ]),
  ];
};
