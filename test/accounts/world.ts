/** ServiceAccounts behind the deployed API over memory. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { rbacGroup } from '../../machinery/api/rbac.ts';
import { createRightsWorld, type RightsWorld, rbac } from '../rights/world.ts';

export const issuer = 'https://api.example.com/v1';
export const accounts = '/api/v1/namespaces/default/serviceaccounts';
export const secrets = '/api/v1/namespaces/default/secrets';
const reviews = '/apis/authentication.k8s.io/v1';

/** A token of a test is the user's name, then its groups; JSON Web Tokens are none of these. */
const userOf = async (request: Request) => {
  const [username, ...groups] =
    /^Bearer ([^.]+)$/.exec(request.headers.get('authorization') ?? '')?.[1]?.split('+') ?? [];
  return username ? { username, groups: [...groups, 'system:authenticated'] } : undefined;
};

export const createAccountsWorld = (): RightsWorld => createRightsWorld({ authenticate: userOf, issuer });

export const accountOf = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });

/** A ServiceAccount in the namespace `default`. */
export const createAccount = async ({ root }: RightsWorld, name: string): Promise<KubeObject> => {
  const { status, text } = await root.post(accounts, accountOf(name));
  if (status !== 201) throw new Error(`the account was answered ${status}: ${text}`);
  return JSON.parse(text) as KubeObject;
};

export interface RequestSpec {
  audiences?: string[];
  expirationSeconds?: unknown;
  boundObjectRef?: object;
}

export const requestToken = ({ root }: RightsWorld, name: string, spec: RequestSpec = {}, metadata: object = {}) =>
  root.post(`${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec,
  });

export const tokenOf = async (world: RightsWorld, name: string, spec: RequestSpec = {}): Promise<string> => {
  const { status, body, text } = await requestToken(world, name, spec);
  if (status !== 201) throw new Error(`the token was answered ${status}: ${text}`);
  return (body.status as { token: string }).token;
};

/** The user of a token, or the status of the refusal. `from`: the process that is asked. */
export const whoIs = async (world: RightsWorld, token: string, from: 'as' | 'elsewhere' = 'as'): Promise<unknown> => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { status, body } = await world[from](token).post(`${reviews}/selfsubjectreviews`, review);
  return status === 201 ? (body.status as { userInfo: unknown }).userInfo : status;
};

export const reviewToken = async ({ root }: RightsWorld, token: string, audiences?: string[]) => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
  return (await root.post(`${reviews}/tokenreviews`, review)).body.status as Record<string, unknown>;
};

/** Grants a ClusterRole in the namespace `default` to a ServiceAccount of it. */
export const grant = ({ root }: RightsWorld, account: string, role: string) =>
  root.post(`${rbac}/namespaces/default/rolebindings`, {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `${account}-${role}` },
    subjects: [{ kind: 'ServiceAccount', name: account }],
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
  });

/** A Secret that the server fills with a token. */
export const tokenSecretOf = (name: string, account: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': account }, ...metadata },
  type: 'kubernetes.io/service-account-token',
});

export const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();
