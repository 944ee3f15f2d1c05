/** Makes the review of a write. */

import type { Operation } from '../api/admission.ts';
import { openCopy } from '../api/frozen.ts';
import { apiVersionOf, type KindDefinition, type KindVersion, type User } from '../api/kind.ts';
import { isObject, type JsonObject, type KubeObject } from '../api/object.ts';
import { deduced, mergeTypeOf } from '../apply/type.ts';
import type { Authorize } from '../server/call.ts';
import { shownFromStored, toStored } from '../server/convert.ts';
import { applyDefaults } from '../server/structural/default.ts';
import { pruneUnknown } from '../server/structural/prune.ts';
import type { ResourceForm, Review } from './review.ts';

export interface ReviewedWrite {
  operation: Operation;
  kind: KindDefinition;
  version: KindVersion;
  /** The kind of the bodies of a subresource, if they are no objects of the kind. */
  bodies?: { group: string; version: string; kind: string } | undefined;
  subresource: string;
  /** In the version, or bodies of the subresource. */
  object?: KubeObject | undefined;
  old?: KubeObject | undefined;
  namespace: string;
  name: string;
  user: User;
  dryRun: boolean;
  options: JsonObject;
  authorize: Authorize;
  /** Milliseconds until the writer stops waiting. */
  timeLeft: () => number;
}

/** Admission changes neither the name of an object nor the owners of its fields. */
const settled = (object: KubeObject, version: KindVersion, before: KubeObject | undefined): KubeObject => {
  const made = openCopy(object);
  const { name = '', namespace, managedFields } = before?.metadata ?? {};
  const { namespace: _, managedFields: __, ...metadata } = isObject(made.metadata) ? made.metadata : { name };
  made.metadata = { ...metadata, name, ...(namespace && { namespace }), ...(managedFields && { managedFields }) };
  pruneUnknown(made, version.schema);
  applyDefaults(made, version.schema);
  return made;
};

const formOf = ({ group, kind, plural }: KindDefinition, { name }: KindVersion): ResourceForm => ({
  group,
  version: name,
  kind,
  resource: plural,
});

export const reviewOf = (write: ReviewedWrite): Review => {
  const { kind, version, bodies, object, old, operation, subresource, namespace, name } = write;
  const { user, dryRun, options, authorize } = write;
  const others = kind.versions.filter((one) => one.served && one !== version);
  const versions = new Map(others.map((one) => [formOf(kind, one), one]));
  const asked = formOf(kind, version);
  const isNamespace = kind.group === '' && kind.kind === 'Namespace';
  return {
    operation,
    asked: bodies ? { ...asked, kind: bodies.kind } : asked,
    equivalents: [...versions.keys()],
    subresource,
    namespace: isNamespace ? name : namespace,
    name,
    ...(object && { object }),
    ...(old && { old }),
    user,
    dryRun,
    options,
    convert: async (one, form) => {
      const to = versions.get(form) ?? version;
      if (bodies || one.apiVersion === apiVersionOf(kind.group, to.name)) return one;
      const from =
        kind.versions.find(({ name: known }) => apiVersionOf(kind.group, known) === one.apiVersion) ?? version;
      return shownFromStored(kind, to, await toStored(kind, from, one));
    },
    mergeType: (form) => (bodies ? deduced : mergeTypeOf((versions.get(form) ?? version).schema)),
    settle: (one) => (bodies ? one : settled(one, version, object)),
    timeLeft: write.timeLeft,
    authorize,
  };
};
