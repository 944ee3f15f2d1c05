import type { Admission, Column, KindDefinition, KindVersion } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { ratcheted } from '../machinery/api/ratchet.ts';
import { type Infer, type JsonSchema, object, type Schema } from '../machinery/api/schema.ts';
import { withoutZeros } from '../machinery/api/zero.ts';
import { warnMisplaced } from './common/autoscale/misplaced.ts';
import { sharedKeys, warnKeysNotActedOn } from './common/keys-not-acted-on.ts';
import { withRegistered } from './registered-annotations.ts';

export { withRegistered };

type Version = Omit<KindVersion, 'schema' | 'storage' | 'status'> & {
  storage?: boolean;
  description: string;
  /** Fields besides spec and status. */
  fields?: Record<string, JsonSchema>;
  spec?: Schema<unknown>;
  specRequired?: boolean;
  status?: Schema<unknown>;
  /** Whether there is a status subresource; if absent, there is one if the kind has a status. */
  statusSubresource?: boolean;
};

type CustomKind = Omit<KindDefinition, 'singular' | 'categories' | 'custom' | 'versions' | 'namespaced'> & {
  namespaced?: boolean;
  versions: Version[];
  /**
   * For a kind whose schema admits Go's zero values, which mean that a field is not given: the fields
   * of its spec whose zero is a value, because upstream's are pointers.
   */
  pointers?: readonly string[];
};

const wholeObject = ({ description, fields, spec, specRequired, status }: Version): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    apiVersion: { type: 'string', description: 'Group and version of this representation, as group/version.' },
    kind: { type: 'string', description: 'The kind of this object, in CamelCase.' },
    metadata: { type: 'object', description: 'Standard object metadata.' },
    ...fields,
    ...(spec && { spec: spec.json }),
    ...(status && { status: status.json }),
  },
  ...(specRequired && { required: ['spec'] }),
});

/** Admission that never sees a zero value that means an absent field. */
const admissionOf = (kind: CustomKind) => {
  const { versions, pointers, default: fill } = kind;
  const validate = withRegistered(kind);
  const spec = versions.find(({ storage }) => storage)?.spec?.json;
  if (!pointers || !spec) return { fill, validate };
  const paths = new Set(pointers);
  const given = (object: KubeObject): KubeObject =>
    object.spec === undefined ? object : { ...object, spec: withoutZeros(object.spec, spec, paths) };
  return {
    fill: (object: KubeObject, admission: Admission) => fill?.(given(object), admission) ?? given(object),
    validate: (object: KubeObject, { old, ...admission }: Admission) =>
      validate?.(given(object), { ...admission, ...(old && { old: given(old) }) }) ?? [],
  };
};

/** A Cluster API kind: a custom resource in the category `cluster-api`. */
export const defineKind = (definition: CustomKind): KindDefinition => {
  const { fill, validate } = admissionOf(definition);
  const { versions, validate: _, default: __, pointers: ___, warn, ...kind } = definition;
  return {
    ...kind,
    ...(fill && { default: fill }),
    ...(validate && { validate: ratcheted(validate) }),
    warn: (object, admission) => [
      ...warnKeysNotActedOn(sharedKeys, object),
      ...warnMisplaced(object, admission),
      ...(warn?.(object, admission) ?? []),
    ],
    singular: kind.kind.toLowerCase(),
    categories: ['cluster-api'],
    namespaced: kind.namespaced ?? true,
    custom: true,
    versions: versions.map((version) => {
      const {
        description: _,
        fields: __,
        spec: ___,
        specRequired: ____,
        status,
        statusSubresource,
        storage,
        ...rest
      } = version;
      return {
        ...rest,
        storage: storage ?? false,
        schema: wholeObject(version),
        status: statusSubresource ?? status !== undefined,
      };
    }),
  };
};

/**
 * Labels of a CustomResourceDefinition by which clusterctl finds contract versions and the kinds
 * that `move` moves.
 */
export const contractLabels = (
  provider: string,
  versions: Record<string, string>,
  move: 'move' | 'move-hierarchy' | 'none' = 'none',
): Record<string, string> => ({
  'cluster.x-k8s.io/provider': provider,
  'clusterctl.cluster.x-k8s.io': '',
  ...(move !== 'none' && { [`clusterctl.cluster.x-k8s.io/${move}`]: '' }),
  ...Object.fromEntries(Object.entries(versions).map(([contract, served]) => [`cluster.x-k8s.io/${contract}`, served])),
});

export const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since creation.',
};
export const column = (
  name: string,
  type: Column['type'],
  jsonPath: string,
  description: string,
  priority?: number,
): Column => ({
  name,
  type,
  jsonPath,
  description,
  ...(priority && { priority }),
});

export { object, type Infer };
