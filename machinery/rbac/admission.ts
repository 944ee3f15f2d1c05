/**
 * Admission of roles and bindings: no user grants what the user does not have, unless a rule with
 * the verb `escalate` or `bind` permits it.
 */
import { forbidden, notFound } from '../api/errors.ts';
import type { Admission, User } from '../api/kind.ts';
import { equalBut } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import { type Binding, type PolicyRule, type Role, rbacGroup } from '../api/rbac.ts';
import { everything, type Rights } from '../server/rights.ts';
import { escalationOf } from './covers.ts';
import { privilegedGroup } from './policy.ts';

const ofGroup = (plural: string) => ({ group: rbacGroup, plural });

const metadata = new Set(['metadata']);
const collected = new Set(['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion']);
/** Whether an update changes only what the garbage collector needs, which grants nothing. */
const isCollectionOnly = (object: KubeObject, old: KubeObject | undefined): boolean =>
  old !== undefined && equalBut(object, old, metadata) && equalBut(object.metadata, old.metadata, collected);

const hasAggregation = (role: Role | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/** Refuses with an ApiError what the user may not grant; returns the object otherwise. */
export type Admit = (object: KubeObject, admission: Admission) => Promise<KubeObject>;

const isExempt = (object: KubeObject, { user, old }: Admission): boolean =>
  user.groups.includes(privilegedGroup) || isCollectionOnly(object, old);

export const admitRole =
  (rights: Rights, plural: string): Admit =>
  async (object, admission) => {
    if (isExempt(object, admission)) return object;
    const { user, operation, old } = admission;
    const role = object as Role;
    const { name, namespace = '' } = role.metadata;
    const place = { group: rbacGroup, resource: plural, namespace, name: operation === 'create' ? '' : name };
    if ((await rights.authorize({ user, verb: 'escalate', ...place })).allowed) return object;
    const held = await rights.rulesFor(user, namespace);
    const escalation = escalationOf(user, held, role.rules ?? []);
    if (escalation) throw forbidden(ofGroup(plural), name, escalation);
    if ((hasAggregation(role) || hasAggregation(old as Role | undefined)) && escalationOf(user, held, everything))
      throw forbidden(ofGroup(plural), name, 'must have cluster-admin privileges to use the aggregationRule');
    return object;
  };

/** What a binding grants; undefined if its role is of no kind that validation accepts. */
const grantedBy = async (rights: Rights, { roleRef, metadata }: Binding): Promise<PolicyRule[] | undefined> => {
  const { rules, errors } = await rights.rulesOf(roleRef, metadata.namespace ?? '');
  if (errors.length === 0) return rules;
  if (roleRef.kind !== 'Role' && roleRef.kind !== 'ClusterRole') return undefined;
  throw notFound(ofGroup(`${roleRef.kind.toLowerCase()}s`), roleRef.name);
};

const mayBind = async (rights: Rights, user: User, { roleRef, metadata }: Binding): Promise<boolean> => {
  const resource = `${roleRef.kind.toLowerCase()}s`;
  const place = { group: rbacGroup, resource, namespace: metadata.namespace ?? '', name: roleRef.name };
  return (await rights.authorize({ user, verb: 'bind', ...place })).allowed;
};

export const admitBinding =
  (rights: Rights, plural: string): Admit =>
  async (object, admission) => {
    if (isExempt(object, admission)) return object;
    const { user } = admission;
    const binding = object as Binding;
    if (await mayBind(rights, user, binding)) return object;
    const granted = await grantedBy(rights, binding);
    const held = await rights.rulesFor(user, binding.metadata.namespace ?? '');
    const escalation = granted && escalationOf(user, held, granted);
    if (escalation) throw forbidden(ofGroup(plural), binding.metadata.name, escalation);
    return object;
  };
