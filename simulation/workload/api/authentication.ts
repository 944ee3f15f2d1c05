/** Authenticates requests to a workload cluster's API: client certificates, bootstrap tokens, anonymous. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { User } from '../../../machinery/api/kind.ts';
import { memoize, memoizePair } from '../../../machinery/api/memoize.ts';
import { isExpired, type TokenFacts } from '../cluster-info.ts';
import { parseToken } from '../kubeadm/config.ts';

export const anonymous: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Caches results, because verification dominates the cost of a request and each cluster uses few certificates. */
export const remembered = 60_000;
const parsed = memoize(1000, (pem): X509Certificate | undefined => {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
});
const verifies = memoizePair(remembered, (certificate, authority): boolean => {
  const leaf = parsed(certificate);
  const ca = parsed(authority);
  return !!leaf && !!ca?.ca && leaf.issuer === ca.subject && leaf.verify(ca.publicKey);
});

const validity = memoize(remembered, (certificate) => {
  const { validFrom = '', validTo = '' } = parsed(certificate) ?? {};
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
});

/** Whether `certificate` was signed by the authority and is valid at `now`, both PEM; `now` in milliseconds. */
export const isSignedBy = (certificate: string, authority: string, now: number): boolean => {
  if (!verifies(certificate, authority)) return false;
  const { from, to } = validity(certificate);
  return from <= now && now < to;
};

/** Whether a server with this certificate (PEM) may serve the host. */
export const coversHost = memoizePair(remembered, (certificate, host): boolean => {
  const leaf = parsed(certificate);
  return leaf !== undefined && (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined;
});

const subjectOf = (certificate: X509Certificate, attribute: string): string[] =>
  certificate.subject
    .split('\n')
    .filter((line) => line.startsWith(`${attribute}=`))
    .map((line) => line.slice(attribute.length + 1));

const named = memoize(remembered, (certificate): User | undefined => {
  const leaf = parsed(certificate);
  if (!leaf || (leaf.keyUsage && !leaf.keyUsage.includes('1.3.6.1.5.5.7.3.2'))) return undefined;
  const [username] = subjectOf(leaf, 'CN');
  return username ? { username, groups: [...subjectOf(leaf, 'O'), 'system:authenticated'] } : undefined;
});

/** The user a client certificate names; undefined = 401. */
export const certificateUser = (certificate: string, authority: string, now: number): User | undefined =>
  isSignedBy(certificate, authority, now) ? named(certificate) : undefined;

/** The user of a bearer bootstrap token; undefined = 401. `tokens` are those of kube-system. */
export const tokenUser = (bearer: string, tokens: TokenFacts[], now: number): User | undefined => {
  const given = parseToken(bearer);
  const token = tokens.find(({ id, secret }) => id === given?.id && secret === given.secret);
  if (!token?.authenticates || isExpired(token, now)) return undefined;
  const groups = [...token.groups.filter((group) => group.startsWith('system:bootstrappers:')), 'system:bootstrappers'];
  return { username: `system:bootstrap:${token.id}`, groups: [...groups, 'system:authenticated'] };
};
