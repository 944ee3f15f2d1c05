/** ConfigMap kube-public/cluster-info and the tokens that sign it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { stringify } from 'yaml';
import { memoizeFrozen, memoizePair } from '../../machinery/api/memoize.ts';
import type { KubeObject } from '../../machinery/api/object.ts';

export const tokenType = 'bootstrap.kubernetes.io/token';
const signaturePrefix = 'jws-kubeconfig-';

export interface TokenFacts {
  id: string;
  secret: string;
  /** Milliseconds since the epoch. */
  expires?: number;
  signs: boolean;
  authenticates: boolean;
  groups: string[];
}

/**
 * A kube-system Secret as a bootstrap token, if it is one. Memoized for each state of the Secret.
 */
export const tokenOf = memoizeFrozen((secret: KubeObject): TokenFacts | undefined => {
  if (secret.type !== tokenType) return undefined;
  const data = (secret.data ?? {}) as Record<string, string>;
  const text = (key: string) => (data[key] === undefined ? '' : Buffer.from(data[key], 'base64').toString('utf8'));
  const id = text('token-id');
  const value = text('token-secret');
  if (!id || !value || secret.metadata.name !== `bootstrap-token-${id}`) return undefined;
  const until = Date.parse(text('expiration'));
  return {
    id,
    secret: value,
    ...(!Number.isNaN(until) && { expires: until }),
    signs: text('usage-bootstrap-signing') === 'true',
    authenticates: text('usage-bootstrap-authentication') === 'true',
    groups: text('auth-extra-groups').split(',').filter(Boolean),
  };
});
export const isExpired = ({ expires }: TokenFacts, now: number): boolean => expires !== undefined && expires <= now;

/** About one for each cluster of a simulation. */
const kubeconfigsKnown = 100;

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const signatureBy = memoizePair(kubeconfigsKnown, (kubeconfig, token) => {
  const [id, secret = ''] = token.split('.');
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: id }));
  const signature = createHmac('sha256', secret)
    .update(`${header}.${base64url(kubeconfig)}`)
    .digest('base64url');
  return `${header}..${signature}`;
});
/** A detached JWS over the kubeconfig, as the token controller writes it. */
const signatureOf = (kubeconfig: string, { id, secret }: Pick<TokenFacts, 'id' | 'secret'>): string =>
  signatureBy(kubeconfig, `${id}.${secret}`);

export const signatureIn = (clusterInfo: KubeObject, id: string): string | undefined =>
  ((clusterInfo.data ?? {}) as Record<string, string>)[`${signaturePrefix}${id}`];
export const verifies = (clusterInfo: KubeObject, token: Pick<TokenFacts, 'id' | 'secret'>): boolean => {
  const { kubeconfig = '' } = (clusterInfo.data ?? {}) as Record<string, string>;
  const signature = Buffer.from(signatureIn(clusterInfo, token.id) ?? '');
  const wanted = Buffer.from(signatureOf(kubeconfig, token));
  return signature.length === wanted.length && timingSafeEqual(signature, wanted);
};

/** The data with the signatures of exactly these tokens. */
export const signed = (data: Record<string, string>, tokens: TokenFacts[]): Record<string, string> => {
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const made = tokens.map((token) => [`${signaturePrefix}${token.id}`, signatureOf(data.kubeconfig ?? '', token)]);
  return Object.fromEntries([...kept, ...made]);
};

/** The anonymous kubeconfig that a joining node learns the cluster's authority from. */
export const discoveryKubeconfig = (server: string, caCertificate: string): string =>
  stringify({
    apiVersion: 'v1',
    clusters: [
      { cluster: { 'certificate-authority-data': Buffer.from(caCertificate).toString('base64'), server }, name: '' },
    ],
    contexts: null,
    'current-context': '',
    kind: 'Config',
    preferences: {},
    users: null,
  });
