/** The objects that are a policy's params for a request. */
import type { ParamKind, ParamRef } from '../api/admission.ts';
import { apiVersionOf, definitionOf, type KindDefinition, type KindVersion, resourceOf } from '../api/kind.ts';
import { labelMatcher } from '../api/labels.ts';
import type { KubeObject } from '../api/object.ts';
import { findFresh, type Kinds } from '../controller/kinds.ts';
import { prepareShown, shownFromStored } from '../server/convert.ts';
import type { ReviewStore } from './review-store.ts';

export interface ParamsOptions {
  store: ReviewStore;
  kinds: Kinds;
}

/** The binding or the policy is wrong: its failure policy decides. */
export class ConfigurationError extends Error {}

interface Served {
  kind: KindDefinition;
  version: KindVersion;
}

const servedKind = async (kinds: Kinds, { apiVersion, kind }: ParamKind): Promise<Served> => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : '';
  const known = await findFresh(kinds, group, kind);
  const definition = known && known.served !== false ? await definitionOf(known) : undefined;
  const version = definition?.versions.find(
    (one) => one.served && apiVersionOf(definition.group, one.name) === apiVersion,
  );
  if (!definition || !version)
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  return { kind: definition, version };
};

const namespaceOf = ({ kind }: Served, ref: ParamRef, namespace: string): string => {
  if (!kind.namespaced) {
    if (ref.namespace)
      throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    return '';
  }
  const own = ref.namespace || namespace;
  if (own === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  return own;
};

const stored = async (
  { store }: ParamsOptions,
  { kind }: Served,
  { name, selector }: ParamRef,
  namespace: string,
): Promise<readonly KubeObject[]> => {
  const type = resourceOf(kind);
  if (name) {
    const object = await store.get(type, { namespace, name });
    return object ? [object] : [];
  }
  const matches = labelMatcher(selector);
  const listing = await store.list(type, {
    ...(namespace && { namespace }),
    selects: ({ metadata }) => matches(metadata.labels),
  });
  return listing.objects;
};

/**
 * A policy without params is evaluated once, without them. `namespace`: of the request. Throws
 * ConfigurationError.
 */
export const paramsOf = async (
  options: ParamsOptions,
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<readonly (KubeObject | undefined)[]> => {
  if (!paramKind || !ref) return [undefined];
  const served = await servedKind(options.kinds, paramKind);
  const objects = await stored(options, served, ref, namespaceOf(served, ref, namespace));
  if (objects.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  await prepareShown(served.kind, served.version, objects);
  return Promise.all(objects.map((object) => shownFromStored(served.kind, served.version, object)));
};
