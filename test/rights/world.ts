/** The deployed API over memory, for users by name: a token is the user's name, then its groups. */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createServing, type ServingOptions } from '../../lambdas/runtime/serving.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { rbacGroup } from '../../machinery/api/rbac.ts';
import type { AuditEvent } from '../../machinery/server/index.ts';
import { composeFoundation, type Foundation, type RuntimePorts } from '../../runtime/foundation.ts';
import { clientOf } from '../server/client.ts';

export const rbac = `/apis/${rbacGroup}/v1`;
const apiVersion = `${rbacGroup}/v1`;

const userOf = async (request: Request) => {
  const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  const [username, ...groups] = token?.split('+') ?? [];
  return username ? { username, groups: [...groups, 'system:authenticated'] } : undefined;
};

export type Client = ReturnType<typeof clientOf>;

export interface RightsWorld {
  clock: VirtualClock;
  foundation: Foundation;
  events: AuditEvent[];
  /** A client of another process over the same store. */
  elsewhere: (user: string) => Client;
  as: (user: string) => Client;
  /** Everything is in place for a user who may do everything. */
  root: Client;
}

export const createRightsWorld = (
  options: Partial<ServingOptions> = {},
  own: Partial<RuntimePorts> = {},
): RightsWorld => {
  const clock = virtualClock(Date.UTC(2026, 10, 30));
  const random = seededRandom(1);
  const events: AuditEvent[] = [];
  const ports = { objects: memoryTable({ clock }), work: memoryTable({ clock }), keys: memoryKeys(random) };
  const processOf = () => {
    const foundation = composeFoundation({
      ...ports,
      installation: 'here',
      clock,
      random,
      log: { info: () => undefined, error: (message, keys) => console.error(message, keys) },
      queueOf: () => ({ send: async () => undefined }),
      ...own,
    });
    const audit = { audit: (event: AuditEvent) => void events.push(event), written: async () => undefined };
    const { server } = createServing(foundation, { authenticate: userOf, audit, ...options });
    return { foundation, client: (user: string) => clientOf(server, `Bearer ${user}`) };
  };
  const [here, there] = [processOf(), processOf()];
  return {
    clock,
    events,
    foundation: here.foundation,
    as: here.client,
    elsewhere: there.client,
    root: here.client('root+system:masters'),
  };
};

type Rule = { apiGroups?: string[]; resources?: string[]; nonResourceURLs?: string[]; verbs: string[] };

export const roleOf = (name: string, rules: Rule[], namespace?: string): KubeObject => ({
  apiVersion,
  kind: namespace ? 'Role' : 'ClusterRole',
  metadata: { name, ...(namespace && { namespace }) },
  rules,
});

/** `to`: the role, as kind/name; `user`: the only subject. */
export const bindingOf = (name: string, to: string, user: string, namespace?: string): KubeObject => {
  const [kind, role] = to.split('/');
  return {
    apiVersion,
    kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { name, ...(namespace && { namespace }) },
    subjects: [{ kind: 'User', name: user }],
    roleRef: { apiGroup: rbacGroup, kind: kind!, name: role! },
  };
};

/** A new namespace whose user has the ClusterRole. */
export const giveNamespace = async ({ root }: RightsWorld, namespace: string, user: string, role = 'edit') => {
  await root.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const binding = bindingOf(`${user}-${role}`, `ClusterRole/${role}`, user, namespace);
  const { status } = await root.post(`${rbac}/namespaces/${namespace}/rolebindings`, binding);
  if (status !== 201) throw new Error(`the binding of ${user} was answered ${status}`);
};
