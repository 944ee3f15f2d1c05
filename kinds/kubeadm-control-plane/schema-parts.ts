/** The parts of a KubeadmControlPlane that v1beta1 and v1beta2 share. */
import { int32, intOrString, listMap, object, oneOf, required, string, stringMap } from '../../machinery/api/schema.ts';

const qualified = '([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

export const metadata = {
  annotations: stringMap('Annotations of the machines; a change reaches existing machines without a rollout.'),
  labels: stringMap('Labels of the machines; a change reaches existing machines without a rollout.'),
};
export const naming = {
  template: string('A Go template with .cluster.name, .kubeadmControlPlane.name and .random, which must be used.', {
    maxLength: 256,
    minLength: 1,
  }),
};
export const readinessGates = (extra: { minItems?: number }) =>
  listMap(
    'Further conditions that count for the readiness of each machine.',
    ['conditionType'],
    object('One condition.', {
      conditionType: required(
        string('Name of the condition on the Machine.', {
          maxLength: 316,
          minLength: 1,
          pattern: `^${qualified}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
        }),
      ),
      polarity: oneOf('Whether the good status is True (Positive, the default) or False (Negative).', [
        'Positive',
        'Negative',
      ]),
    }),
    { maxItems: 32, ...extra },
  );
export const taints = listMap(
  'Taints of the nodes, besides those that kubeadm sets.',
  ['key', 'effect'],
  object('One taint.', {
    effect: required(
      oneOf('What happens to pods that do not tolerate it.', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    ),
    key: required(
      string('Key of the taint.', {
        maxLength: 317,
        minLength: 1,
        pattern: `^${qualified}\\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`,
      }),
    ),
    propagation: required(
      oneOf('Whether it is kept on the node (Always) or only set when the node appears.', [
        'Always',
        'OnInitialization',
      ]),
    ),
    value: string('Value of the taint.', {
      maxLength: 63,
      minLength: 1,
      pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
    }),
  }),
  { maxItems: 64, minItems: 1 },
);
export const replicas = int32('How many control plane machines there shall be; odd when etcd runs on them. Default 1.');
export const version = string('The Kubernetes version of the control plane, such as v1.35.0.', {
  maxLength: 256,
  minLength: 1,
});
export const maxSurge = intOrString('How many machines above the desired number a rollout may make: 0 or 1.');
export const selector = string('Label selector of the machines, as text, for autoscalers.', {
  maxLength: 4096,
  minLength: 1,
});
export const currentVersion = string('The lowest Kubernetes version among the machines; see versions.', {
  maxLength: 256,
  minLength: 1,
});
export const versions = listMap(
  'How many machines run which Kubernetes version.',
  ['version'],
  object('One version.', {
    replicas: int32('Machines of this version.', { minimum: 1 }),
    version: required(string('The Kubernetes version.', { maxLength: 256, minLength: 1 })),
  }),
  { maxItems: 100, minItems: 1 },
);
export const remediatedMachine = string('Name of the machine that was replaced.', { maxLength: 253, minLength: 1 });
