/** Server-side apply by a controller, of a configuration in any served version. */
import { badRequest } from '../api/errors.ts';
import { apiVersionOf, type KindDefinition, type KindVersion } from '../api/kind.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import { apply } from '../apply/index.ts';
import { shownFromStored, toStored } from './convert.ts';
import { withoutNulls } from './json.ts';
import { resetOf, versionsOf } from './owners.ts';

export const versionNamed = (kind: KindDefinition, apiVersion: string): KindVersion => {
  const version = kind.versions.find(({ name, served }) => served && apiVersionOf(kind.group, name) === apiVersion);
  if (!version) throw badRequest(`${kind.kind} is not served in version ${apiVersion}`);
  return version;
};

export interface Applying {
  manager: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** What admission makes of an object in the storage version, such as defaults. */
  settle: (object: KubeObject) => KubeObject;
}

/**
 * The object with the configuration applied and its owners, in the storage version. Takes over fields of
 * others.
 */
export const appliedTo = async (
  kind: KindDefinition,
  stored: KubeObject | undefined,
  config: KubeObject,
  { manager, now, settle }: Applying,
): Promise<KubeObject> => {
  const version = versionNamed(kind, config.apiVersion);
  const live = stored && structuredClone(await shownFromStored(kind, version, stored));
  const reset = resetOf(version, '');
  const inStorage = async (object: KubeObject): Promise<KubeObject> =>
    structuredClone(await toStored(kind, version, withoutNulls(object) as KubeObject));
  const { object } = await apply({
    live,
    object: config,
    manager,
    subresource: '',
    apiVersion: config.apiVersion,
    kind: kind.kind,
    now: timestamp(now),
    versions: versionsOf(kind),
    force: true,
    ...(reset && { reset }),
    ...(live && {
      settle: async (next: KubeObject) =>
        structuredClone(await shownFromStored(kind, version, settle(await inStorage(next)))),
    }),
  });
  return inStorage(object);
};
