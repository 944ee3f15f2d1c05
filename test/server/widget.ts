/** A custom kind with two versions that uses every schema feature. */
import { age, column, defineKind } from '../../kinds/define.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import {
  anyObject,
  atomicList,
  boolean,
  int32,
  intOrString,
  list,
  listMap,
  object,
  oneOf,
  required,
  string,
  stringMap,
  time,
} from '../../machinery/api/schema.ts';

const part = object('One part.', {
  name: required(string('Name of the part.', { minLength: 1 })),
  weight: int32('In grams.', { minimum: 0 }),
});

const condition = object('One aspect of the widget.', {
  type: required(string('What it is about.')),
  status: required(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
  reason: string('Cause in one word.'),
  message: string('Cause in words.'),
  lastTransitionTime: time('When the status last changed.'),
});

const spec = object('What the widget should be.', {
  replicas: int32('How many.', { minimum: 0, default: 1 }),
  size: oneOf('How large.', ['small', 'large']),
  color: string('Its color.', { pattern: '^[a-z]+$', maxLength: 10 }),
  limit: intOrString('A number or a percentage.'),
  paused: boolean('Whether work on it rests.'),
  parts: listMap('What it is made of.', ['name'], part, { maxItems: 3 }),
  tags: atomicList('Words about it.', string('')),
  aliases: list('Its other names.', string(''), { 'x-kubernetes-list-type': 'set' }),
  selector: stringMap('Labels.'),
  settings: anyObject('Free form.'),
  id: string('Cannot change.', {
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'id is immutable' }],
  }),
});
const status = object('What the widget is.', {
  replicas: int32('How many there are.'),
  selector: string('Its selector as text.'),
  phase: string('Where it is.'),
  conditions: listMap('Aspects of it.', ['type'], condition),
});
const oldSpec = object('What the widget should be.', {
  count: int32('How many.', { minimum: 0, default: 1 }),
  size: oneOf('How large.', ['small', 'large']),
});

const renamed = (from: string, to: string, version: string) => (stored: KubeObject) => {
  const { [from]: moved, ...rest } = (stored.spec ?? {}) as Record<string, unknown>;
  return {
    ...stored,
    apiVersion: `example.com/${version}`,
    spec: { ...rest, ...(moved !== undefined && { [to]: moved }) },
  };
};

const columns = [
  column('Replicas', 'integer', '.spec.replicas', 'How many.'),
  column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status', 'Whether it is ready.'),
  column('Size', 'string', '.spec.size', 'How large.', 1),
  age,
];
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

export const widget = defineKind({
  group: 'example.com',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  crdLabels: { 'cluster.x-k8s.io/v1beta2': 'v1' },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      description: 'A thing to try things with.',
      columns,
      scale,
      spec,
      status,
    },
    {
      name: 'v1beta1',
      served: true,
      deprecated: true,
      deprecationWarning: 'example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget',
      description: 'A thing to try things with.',
      columns: [column('Count', 'integer', '.spec.count', 'How many.'), age],
      spec: oldSpec,
      status,
      toStorage: renamed('count', 'replicas', 'v1'),
      fromStorage: renamed('replicas', 'count', 'v1beta1'),
    },
  ],
});
