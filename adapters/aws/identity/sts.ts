/** AWS identities: STS verifies the request in the token. */
import { tooManyRequests, unavailable } from '../../../machinery/api/errors.ts';
import type { User } from '../../../machinery/api/kind.ts';
import { createLimits, type Rate } from '../../../machinery/limits.ts';
import type { Clock, Log } from '../../../machinery/ports.ts';
import { createVerdicts } from '../../../machinery/verdicts.ts';
import { canonicalArn, isCaller, sessionOf } from './arn.ts';
import { type Answer, createAsk, type Fetch } from './ask.ts';
import { stsHosts } from './hosts.ts';
import { clusterHeader, lifetime, type Presigned, parsePresigned } from './presigned.ts';

export interface StsConfig {
  /** The signed audience: the argument of `aws eks get-token --cluster-name`. */
  clusterId: string;
  /** The installation's region; tokens may be signed for any region of its partition. */
  region: string;
  /** An emulator's endpoint, called instead of the signed host. */
  endpoint?: string;
}

export interface IdentityPorts {
  fetch: Fetch;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** Undefined for an invalid token; throws 429 or 503 when STS cannot verify it. `address` is the client's. */
export type Verify = (token: string, address?: string) => Promise<User | undefined>;

/** STS calls of one process: a laptop needs one per command, a build farm behind one address several per second. */
const perAddress: Rate = { rate: 10, burst: 50 };
const perAccessKey: Rate = { rate: 5, burst: 25 };

/** Addresses of users that a process remembers. */
const mostKnown = 1000;

/** Milliseconds. */
const refusalKept = 60_000;
const verdictKept = 5 * 60_000;

type Ask = ReturnType<typeof createAsk>;
type Fields = Record<string, unknown> | undefined;

const fieldOf = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Fields)![name] : undefined),
    value,
  );
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const userOf = ({ body }: Answer, { accessKeyId }: Presigned): User | undefined => {
  const result = fieldOf(body, 'GetCallerIdentityResponse', 'GetCallerIdentityResult');
  const [arn, account, id] = ['Arn', 'Account', 'UserId'].map((name) => textOf(fieldOf(result, name)));
  if (!arn || !id || !isCaller(arn) || arn.split(':')[4] !== account) return undefined;
  const session = sessionOf(arn);
  return {
    username: canonicalArn(arn),
    uid: id,
    groups: ['system:authenticated'],
    extra: {
      arn: [arn],
      accessKeyId: [accessKeyId],
      ...(session !== undefined && { sessionName: [session] }),
    },
  };
};

const isBusy = ({ status, body }: Answer): boolean =>
  status === 429 || status >= 500 || /Throttl|SlowDown/.test(textOf(fieldOf(body, 'Error', 'Code')) ?? '');

const elsewhere = (url: string, endpoint: string | undefined): string =>
  endpoint === undefined ? url : `${endpoint.replace(/\/+$/, '')}/${new URL(url).search}`;

export const createStsVerify = ({ clusterId, region, endpoint }: StsConfig, ports: IdentityPorts): Verify => {
  const { clock, log } = ports;
  const hosts = stsHosts(region);
  // Strangers must not take all concurrent requests: addresses from which a valid token came have their own.
  const [ask, askForKnown] = [0, 1].map(() => createAsk({ fetch: ports.fetch, whom: 'STS' })) as [Ask, Ask];
  const known = new Set<string | undefined>();
  const verdicts = createVerdicts<User | undefined>(clock);
  const addresses = createLimits(clock, perAddress);
  const accessKeys = createLimits(clock, perAccessKey);

  const checkLimits = ({ accessKeyId }: Presigned, address: string | undefined): void => {
    if (address !== undefined && !addresses.take(address))
      throw tooManyRequests('too many identities are being verified for this address');
    // Per address, because access key ids are public: a stranger must not exhaust the limit of the key's
    // owner.
    if (!accessKeys.take(`${accessKeyId} ${address ?? ''}`))
      throw tooManyRequests('too many tokens of this access key are being verified');
  };

  const remember = (address: string | undefined): void => {
    known.delete(address);
    const [oldest] = known;
    if (known.size >= mostKnown) known.delete(oldest);
    known.add(address);
  };

  const verify = async (presigned: Presigned, address: string | undefined) => {
    const asked = known.has(address) ? askForKnown : ask;
    const answer = await asked(elsewhere(presigned.url, endpoint), { [clusterHeader]: clusterId });
    if (isBusy(answer)) throw unavailable('the identity could not be verified: STS is asked too often, or fails', 2);
    const user = answer.status === 200 ? userOf(answer, presigned) : undefined;
    const now = clock.now();
    if (!user) {
      log.info('Token refused', { by: 'STS', status: answer.status, code: fieldOf(answer.body, 'Error', 'Code') });
      return { verdict: undefined, until: now + refusalKept, isGood: false };
    }
    remember(address);
    return { verdict: user, until: Math.min(now + verdictKept, presigned.signed + lifetime), isGood: true };
  };

  return async (token, address) => {
    const parsed = parsePresigned(token, { hosts, now: clock.now() });
    if ('refused' in parsed) {
      log.info('Token refused', { because: parsed.refused });
      return undefined;
    }
    return verdicts.of(token, async () => {
      checkLimits(parsed.presigned, address);
      return verify(parsed.presigned, address);
    });
  };
};
