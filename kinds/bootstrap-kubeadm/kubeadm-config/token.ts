/** Bootstrap tokens: short-lived credentials with which a new host joins its cluster. */

import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Reader } from '../../../machinery/api/reconcile.ts';
import { type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import { askWorkload, callWorkload } from '../../ports/index.ts';

/** Seconds for which a new or renewed token is valid. */
export const tokenTtl = 15 * 60;
/**
 * Of a token for the hosts of a pool. It is replaced at half of it, and Secrets Manager, where pools of AWS
 * keep it, takes another value each ten minutes at most.
 */
export const poolTokenTtl = 30 * 60;
const namespace = 'kube-system';

/** A new token, `id.secret`. */
export const newToken = ({ random }: Context): string => {
  const drawn = random.token();
  return `${drawn.slice(0, 6)}.${drawn.slice(6, 22)}`;
};

const nameOf = (token: string) => `bootstrap-token-${token.split('.')[0]}`;
const reference = (token: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name: nameOf(token) });
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const expiration = (now: number, ttl: number) => timestamp(now + ttl * 1000);

/** The key of the token in the Secret with the user data; absent if the user wrote the token. */
export const tokenKey = 'token';

export const askToken = (read: Reader, kubeconfig: string, token: string) =>
  askWorkload(read, 'get', { kubeconfig, ...reference(token) });

const createToken = (kubeconfig: string, token: string, now: number, ttl: number): Action => {
  const [id = '', secret = ''] = token.split('.');
  const values = {
    'token-id': id,
    'token-secret': secret,
    expiration: expiration(now, ttl),
    'usage-bootstrap-signing': 'true',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    description: 'token generated for a machine that is about to join',
  };
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: nameOf(token) },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
  } satisfies JsonObject;
  return callWorkload('create', { kubeconfig, object });
};

const endOf = (current: KubeObject): number => Date.parse(secretValue(current as Secret, 'expiration') ?? '');

/**
 * Milliseconds until another token takes its place for the hosts of a pool, which may start at any time: a
 * host has at least half of the lifetime to join.
 */
export const untilRotation = (current: KubeObject, now: number): number => {
  const left = endOf(current) - (poolTokenTtl * 1000) / 2 - now;
  return Number.isFinite(left) ? Math.max(0, left) : 0;
};

/** Creates an absent token, and renews it after a sixth of its lifetime. */
export const ensureToken = (
  kubeconfig: string,
  token: string,
  current: KubeObject | undefined,
  now: number,
  ttl = tokenTtl,
): Action[] => {
  if (!current) return [createToken(kubeconfig, token, now, ttl)];
  if (endOf(current) - now > (ttl * 1000 * 5) / 6) return [];
  const patch = { data: { expiration: base64(expiration(now, ttl)) } };
  return [callWorkload('patch', { kubeconfig, ...reference(token), patch, ifPresent: true })];
};
