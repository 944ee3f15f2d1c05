/** The owners of an object's fields (metadata.managedFields) after a write. */

import { apiVersionOf, type KindDefinition, type KindVersion, storageVersion } from '../api/kind.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import {
  type FieldSet,
  fieldElement,
  fieldSet,
  mergeTypeOf,
  update,
  type Versions,
  withoutNewTimes,
} from '../apply/index.ts';
import type { Call } from './call.ts';
import { shownFromStored, toStored } from './convert.ts';
import { withoutNulls } from './json.ts';

const longestName = 128;

/** The writer's name for its fields: what it says, or the program in its User-Agent. */
const managerOf = ({ request, query }: Call): string => {
  const named = query.get('fieldManager');
  if (named) return named;
  const [program = ''] = (request.headers.get('user-agent') ?? '').split('/');
  return program.replace(/[^\x20-\x7e]/g, '').slice(0, longestName);
};

export const versionsOf = (kind: KindDefinition): Versions => {
  const at = (apiVersion: string) =>
    kind.versions.find(({ name, served }) => served && apiVersionOf(kind.group, name) === apiVersion);
  return {
    typeAt: (apiVersion) => {
      const version = at(apiVersion);
      return version && mergeTypeOf(version.schema);
    },
    convert: async (object, apiVersion) => {
      const stored = await toStored(kind, at(object.apiVersion)!, withoutNulls(object) as KubeObject);
      return structuredClone(await shownFromStored(kind, at(apiVersion)!, stored));
    },
  };
};

const status = fieldSet([fieldElement('status')]);
const allButStatus = fieldSet([fieldElement('metadata')], [fieldElement('spec')]);

/** The fields that this path of the API never writes. */
export const resetOf = (version: KindVersion, subresource: string): FieldSet | undefined => {
  if (subresource === 'status') return allButStatus;
  return version.status ? status : undefined;
};

/** A write as the tracking of owners takes it. `live`: in the version of the request. */
export const ownedWrite = (call: Call, live: KubeObject | undefined, object: KubeObject, subresource: string) => {
  const { resource, version, server } = call;
  const reset = resetOf(version, subresource);
  return {
    live,
    object,
    manager: managerOf(call),
    subresource,
    apiVersion: apiVersionOf(resource.kind.group, version.name),
    kind: resource.kind.kind,
    now: timestamp(server.clock.now()),
    versions: versionsOf(resource.kind),
    ...(reset && { reset }),
  };
};

/** The object of a create, replace or patch that is no apply, with its owners. */
export const withOwners = async (
  call: Call,
  live: KubeObject | undefined,
  sent: KubeObject,
  subresource: string,
): Promise<KubeObject> => {
  const { object, fault } = await update(ownedWrite(call, live, sent, subresource));
  if (fault !== undefined) call.server.log?.info('Fields keep their owners', { reason: fault });
  return object;
};

/** The manager of what Capstan's own controllers write. */
const ourName = 'capstan';

/**
 * The object that a controller writes, in the storage version, with its owners: users keep what they
 * own until a controller changes it, and their next apply shows that. Objects that no client tracks
 * stay untracked.
 */
export const ownedByController = async (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject,
  now: number,
): Promise<KubeObject> => {
  if (!current.metadata.managedFields) return object;
  const version = storageVersion(kind);
  const reset = resetOf(version, '');
  const owned = await update({
    live: current,
    object,
    manager: ourName,
    subresource: '',
    apiVersion: apiVersionOf(kind.group, version.name),
    kind: kind.kind,
    now: timestamp(now),
    versions: versionsOf(kind),
    ...(reset && { reset }),
  });
  return withoutNewTimes(owned.object, current);
};
