import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, int32, object, oneOf, required, type Schema } from '../../../machinery/api/schema.ts';
import { labelSelector } from '../../common/schema.ts';

const noEmpty = { minProperties: 1 };
const selectors = <T>(description: string, what: string, item: Schema<T>) =>
  atomicList(description, item, {
    minItems: 1,
    maxItems: 32,
    'x-kubernetes-validations': [
      { rule: 'self.all(x, self.exists_one(y, x == y))', message: `entries in ${what} must be unique` },
    ],
  });

export const machineDrainRuleSpec = object('Which Pods are drained how from which Machines.', {
  drain: required(
    object('What happens to the Pods.', {
      behavior: required(
        oneOf('Drain evicts the Pods, Skip ignores them, WaitCompleted waits for their end.', [
          'Drain',
          'Skip',
          'WaitCompleted',
        ]),
      ),
      order: int32('Pods of a lower order are evicted first; 0 if unset. Only for Drain.'),
    }),
  ),
  machines: selectors(
    'Machines to which this applies: those that one entry matches; all if unset.',
    'machines',
    object(
      'Both selectors must match.',
      {
        clusterSelector: labelSelector("Labels of the Machine's Cluster."),
        selector: labelSelector('Labels of the Machine.'),
      },
      noEmpty,
    ),
  ),
  pods: selectors(
    'Pods to which this applies: those that one entry matches; all if unset.',
    'pods',
    object(
      'Both selectors must match.',
      {
        namespaceSelector: labelSelector("Labels of the Pod's Namespace."),
        selector: labelSelector('Labels of the Pod.'),
      },
      noEmpty,
    ),
  ),
});

export type MachineDrainRuleSpec = Infer<typeof machineDrainRuleSpec>;
export type MachineDrainRule = KubeObject<MachineDrainRuleSpec>;
