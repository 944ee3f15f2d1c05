/** The status of both kinds of flow control, which says that they have no effect. */
import { duplicate, required } from '../../../machinery/api/faults.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { listMap, required as mustHave, object, string, time } from '../../../machinery/api/schema.ts';

export interface FlowCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export const status = object('What the server found out about the object.', {
  conditions: listMap(
    'What is the case.',
    ['type'],
    object('A condition.', {
      type: mustHave(string('What may be the case.')),
      status: mustHave(string('Whether it is: True, False or Unknown.')),
      lastTransitionTime: time('When the status last changed.'),
      reason: string('Why, in one word.'),
      message: string('Why, in words.'),
    }),
    { 'x-kubernetes-patch-merge-key': 'type', 'x-kubernetes-patch-strategy': 'merge' },
  ),
});

export const noEffect =
  'stored without effect: Capstan limits the requests of each user and of each address, and queues none';

const enforced = 'Enforced';

export const conditionsOf = ({ status }: KubeObject): FlowCondition[] =>
  (status as { conditions?: FlowCondition[] } | undefined)?.conditions ?? [];

/** The object with the condition that it is not enforced, whatever a client makes of its status. */
export const withoutEffect = (object: KubeObject): KubeObject => {
  const condition: FlowCondition = {
    type: enforced,
    status: 'False',
    lastTransitionTime: object.metadata.creationTimestamp!,
    reason: 'NotSupported',
    message: noEffect,
  };
  const others = conditionsOf(object).filter(({ type }) => type !== enforced);
  return { ...object, status: { ...(object.status as object | undefined), conditions: [...others, condition] } };
};

export const statusFaults = (object: KubeObject): FieldError[] =>
  conditionsOf(object).flatMap(({ type }, i, all) => {
    const field = `status.conditions[${i}].type`;
    return [
      ...(all.findIndex((one) => one.type === type) < i ? [duplicate(field, type)] : []),
      ...(type ? [] : [required(field)]),
    ];
  });
