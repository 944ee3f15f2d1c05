/** Admission of objects that map identities to users and groups: no user grants those as whom that user may not act. */
import { forbidden } from '../api/errors.ts';
import type { Admission } from '../api/kind.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { Attributes } from '../server/call.ts';
import type { Rights } from '../server/rights.ts';

type Mapping = KubeObject<{ username?: string; groups?: string[] }>;

export const admitIdentity = async (
  rights: Rights,
  of: { group: string; plural: string },
  object: KubeObject,
  { user, old }: Admission,
): Promise<void> => {
  const { metadata, spec } = object as Mapping;
  if (old && equal(spec ?? {}, old.spec ?? {})) return;
  const common = { user, verb: 'impersonate' };
  const granted: Attributes[] = [
    ...(spec?.username === undefined ? [] : [{ ...common, resource: 'users', name: spec.username }]),
    ...(spec?.groups ?? []).map((name) => ({ ...common, resource: 'groups', name })),
  ];
  for (const attributes of granted) {
    const { allowed } = await rights.authorize(attributes);
    if (allowed) continue;
    const why = `user ${JSON.stringify(user.username)} may not impersonate ${JSON.stringify(attributes.name)} of ${attributes.resource}`;
    throw forbidden(of, metadata.name, why);
  }
};
