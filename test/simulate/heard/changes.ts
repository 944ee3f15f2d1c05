/** The changes that a field of an object may undergo, and the objects that may appear. */
import { isObject, type KubeObject } from '../../../machinery/api/object.ts';
import { matches } from '../../../machinery/controller/selector.ts';
import type { Question, Sight } from './overhear.ts';

export interface Might {
  /** The field, as a path without object names. */
  what: string;
  before: KubeObject | undefined;
  after: () => KubeObject | undefined;
}

type Fields = Record<string, unknown>;
type Leaf = [path: string, changed: () => unknown];
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);
const otherwise = (value: unknown): unknown => {
  if (typeof value === 'string' && !isTime(value)) return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : undefined;
};

/** Yields the value with one leaf changed, or with one field or item omitted. */
function* leaves(value: unknown, path: string): Generator<Leaf> {
  if (Array.isArray(value)) {
    if (value.length > 0) yield [`${path}[] left out`, () => value.slice(1)];
    for (const [index, item] of value.entries()) {
      const isCondition = isObject(item) && 'status' in item && typeof item.type === 'string';
      const turned = () => value.with(index, { ...item, status: item.status === 'True' ? 'False' : 'True' });
      if (isCondition) yield [`${path}[${item.type}]`, turned];
      else for (const [at, changed] of leaves(item, `${path}[]`)) yield [at, () => value.with(index, changed())];
    }
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) {
      yield [`${path}.${name} left out`, () => without(value, name)];
      for (const [at, changed] of leaves(field, `${path}.${name}`)) yield [at, () => ({ ...value, [name]: changed() })];
    }
  } else if (otherwise(value) !== undefined) yield [path, () => otherwise(value)];
}

/** Annotations that users set. */
const userAnnotations = [
  'cluster.x-k8s.io/paused',
  'cluster.x-k8s.io/delete-machine',
  'cluster.x-k8s.io/remediate-machine',
  'cluster.x-k8s.io/skip-remediation',
  'machine.cluster.x-k8s.io/exclude-node-draining',
  'pre-terminate.delete.hook.machine.cluster.x-k8s.io/user',
  'controlplane.cluster.x-k8s.io/skip-coredns',
];

/** Fields that admission requires. */
const neverLacking =
  /^\.(metadata|spec|status) left out$|^\.metadata\.ownerReferences\[\]\.(apiVersion|kind|name|uid) left out$/;

const mightBecome = (before: KubeObject): Might[] => {
  const { metadata } = before;
  const annotated = { ...Object.fromEntries(userAnnotations.map((name) => [name, ''])), ...metadata.annotations };
  const notes: Might[] = userAnnotations.map((name) => ({
    what: `.metadata.annotations.${name} added`,
    before,
    after: () => ({ ...before, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: '' } } }),
  }));
  const { uid: _, resourceVersion: __, generation: ___, creationTimestamp: ____, ...others } = metadata;
  const { name, namespace, ...parts } = others;
  const own = { uid: metadata.uid, name, namespace, creationTimestamp: metadata.creationTimestamp };
  const { apiVersion, kind, ...content } = { ...before, metadata: parts };
  const fields = [...leaves(content, '')].filter(([path]) => !neverLacking.test(path));
  return [
    { what: 'deleted', before, after: () => undefined },
    {
      what: 'deleting',
      before,
      after: () => ({ ...before, metadata: { ...metadata, deletionTimestamp: metadata.creationTimestamp! } }),
    },
    ...notes.filter(({ what }) => annotated[what] === undefined),
    ...fields.map(([what, changed]): Might => {
      const after = () => {
        const next = changed() as KubeObject;
        return { ...next, apiVersion, kind, metadata: { ...next.metadata, ...own } } as KubeObject;
      };
      return { what, before, after };
    }),
  ];
};

/**
 * Another object that a list would return, without an owner; or the missing object of a get. Both
 * are copies of an object of that kind.
 */
const mightCome = (question: Question, sight: Sight): Might[] => {
  const kind = 'get' in question ? question.get : question.list;
  const model = sight.all(kind).find((one) => 'get' in question || matches(question.where, one));
  if (!model || ('get' in question && sight.get(kind, question.key))) return [];
  const { labels, annotations, creationTimestamp, ownerReferences, name, namespace } = model.metadata;
  const key = 'get' in question ? question.key : { name: `${name}-x`, ...(namespace && { namespace }) };
  const owned = 'list' in question && question.where.owner !== undefined && { ownerReferences };
  const metadata = {
    ...key,
    uid: 'another',
    ...('list' in question && { labels }),
    annotations,
    creationTimestamp,
    ...owned,
  };
  return [{ what: 'created', before: undefined, after: () => ({ ...model, metadata }) as KubeObject }];
};

export const mights = (question: Question, sight: Sight): Might[] => {
  const objects =
    'get' in question
      ? [sight.get(question.get, question.key)].filter((one) => one !== undefined)
      : sight.all(question.list).filter((one) => matches(question.where, one));
  return [...objects.flatMap(mightBecome), ...mightCome(question, sight)];
};
