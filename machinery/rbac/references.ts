/** No user makes an object refer to what that user may not read in another namespace. */
import { forbidden } from '../api/errors.ts';
import type { Admission, KindFacts, Reference } from '../api/kind.ts';
import { resourceOf } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { forbidding } from '../server/authorize.ts';
import type { Extension } from '../server/registry.ts';
import type { Rights } from '../server/rights.ts';

type InNamespace = Reference & { namespace: string };

/** References to other namespaces. Those to objects in no namespace are for all. */
const foreignIn = ({ references }: KindFacts, object: KubeObject): InNamespace[] =>
  (references?.(object) ?? []).filter(
    (one): one is InNamespace => !!one.namespace && one.namespace !== object.metadata.namespace,
  );

const isSame = (a: Reference, b: Reference): boolean =>
  a.group === b.group && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

/** `kinds`: all that references may name. */
export const referenceExtensions = (rights: Rights, kinds: readonly KindFacts[]): Record<string, Extension> => {
  const pluralOf = ({ group, kind }: Reference): string =>
    kinds.find((one) => one.group === group && one.kind === kind)?.plural ?? `${kind.toLowerCase()}s`;
  const admit = async (kind: KindFacts, object: KubeObject, { user, old }: Admission): Promise<KubeObject> => {
    const before = old ? foreignIn(kind, old) : [];
    const added = foreignIn(kind, object).filter((one) => !before.some((other) => isSame(one, other)));
    for (const reference of added) {
      const { group, namespace, name } = reference;
      const attributes = { user, verb: 'get', group, resource: pluralOf(reference), namespace, name };
      const { allowed, reason } = await rights.authorize(attributes);
      if (!allowed) throw forbidden(kind, object.metadata.name, forbidding(attributes, reason).message);
    }
    return object;
  };
  return Object.fromEntries(
    kinds
      .filter(({ references }) => references !== undefined)
      .map((kind) => [resourceOf(kind), { admit: (object, admission) => admit(kind, object, admission) }]),
  );
};
