import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { isQualifiedName } from '../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, list, listMap, object, required, string, time } from '../../../machinery/api/schema.ts';
import { limitOf, maxMachines } from '../../common/machine-limit.ts';
import { withRegistered } from '../../define.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { namespace as facts } from './kind.ts';

const spec = object('What the namespace waits for when it is deleted.', {
  finalizers: list('Names of those that must finish first; `kubernetes` empties it.', string(''), {
    'x-kubernetes-list-type': 'atomic',
  }),
});
const condition = object('One aspect of a deletion.', {
  type: required(string('What the condition is about.')),
  status: required(string('True, False or Unknown.')),
  lastTransitionTime: time('When the status last changed.'),
  reason: string('Machine-readable cause.'),
  message: string('Cause in words.'),
});
const status = object('Where the namespace is in its life.', {
  phase: string('Active or Terminating.'),
  conditions: listMap('How its deletion proceeds.', ['type'], condition, {
    'x-kubernetes-patch-merge-key': 'type',
    'x-kubernetes-patch-strategy': 'merge',
  }),
});

export type Namespace = KubeObject<Infer<typeof spec>, Infer<typeof status>>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Namespace: Namespace;
  }
}

const contentFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

const withDefaults = (namespace: KubeObject, { operation, old, subresource }: Admission): KubeObject => {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, [nameLabel]: metadata.name };
  const given = (namespace as Namespace).spec?.finalizers ?? [];
  const created = [...new Set([...given, contentFinalizer])];
  // Only the finalize subresource removes finalizers from the spec.
  const kept = subresource === 'finalize' ? given : ((old as Namespace | undefined)?.spec?.finalizers ?? []);
  const finalizers = operation === 'create' ? created : kept;
  const { spec: _, ...rest } = namespace;
  return {
    ...rest,
    metadata: { ...metadata, labels },
    spec: { ...(finalizers.length > 0 && { finalizers }) },
    status: operation === 'create' ? { phase: 'Active' } : (namespace.status ?? { phase: 'Active' }),
  };
};

const validateLimit = (namespace: KubeObject): FieldError[] => {
  const text = namespace.metadata.annotations?.[maxMachines];
  if (text === undefined || limitOf(namespace) !== undefined) return [];
  const field = `metadata.annotations[${maxMachines}]`;
  return [{ reason: 'FieldValueInvalid', field, value: text, detail: 'must be a number of Machines, such as "50"' }];
};

const validate = (namespace: KubeObject, { operation }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const finalizers = (namespace as Namespace).spec?.finalizers ?? [];
  const unqualified = finalizers
    .filter((name) => name !== contentFinalizer && !(name.includes('/') && isQualifiedName(name)))
    .map(
      (name): FieldError => ({
        reason: 'FieldValueInvalid',
        field: 'spec.finalizers',
        value: name,
        detail: 'name is neither a standard finalizer name nor is it fully qualified',
      }),
    );
  return [...unqualified, ...validateLimit(namespace)];
};

export const namespace = defineBuiltIn({
  ...facts,
  shortNames: ['ns'],
  names: 'label',
  default: withDefaults,
  validate: withRegistered({ kind: facts.kind, validate })!,
  selectableFields: (object) => ({ 'status.phase': (object as Namespace).status?.phase ?? '' }),
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  version: {
    description: 'A scope for names; deleting it deletes everything in it.',
    fields: { spec, status },
    status: true,
    columns: [
      {
        name: 'Status',
        type: 'string',
        jsonPath: '.status.phase',
        description: 'Whether it is active or terminating.',
      },
      age,
    ],
  },
});
