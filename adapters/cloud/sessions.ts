/**
 * Clouds by principal: assumes its roles one after the other, through the STS of the region that is called. A
 * session is kept until shortly before it expires, and given up when AWS does not accept it any more.
 */
import {
  type Caller,
  type Cloud,
  CloudError,
  type Principal,
  type SessionCredentials,
} from '../../kinds/ports/cloud/index.ts';
import type { Clock } from '../../machinery/ports.ts';

/** Milliseconds before its end at which a session is renewed. */
const margin = 5 * 60_000;
/** Milliseconds for which a session is not given up: one missing permission must not assume the role anew each time. */
const youth = 60_000;
/** Principals of a process whose sessions are kept. */
const mostKept = 500;

const rejected =
  /^(ExpiredToken|InvalidClientTokenId|AuthFailure|UnauthorizedOperation|AccessDenied|UnrecognizedClient)/;

interface Session {
  credentials: SessionCredentials;
  arn: string;
  since: number;
}

export type Sessions = (region: string, roles: Principal) => Cloud;

export const createSessions = (own: Cloud, clock: Pick<Clock, 'now'>): Sessions => {
  const clouds = new Map<string, Cloud>();

  const open = (region: string, roles: Principal): Cloud => {
    const role = roles.at(-1)!;
    const source = cloudOf(region, roles.slice(0, -1));
    const account = role.RoleArn.split(':')[4] ?? '';
    let session: Session | undefined;
    let pending: Promise<Session> | undefined;

    const assume = async (): Promise<Session> => {
      try {
        const { Credentials, AssumedRoleUser } = await source.call(region, 'AssumeRole', role);
        return { credentials: Credentials, arn: AssumedRoleUser.Arn, since: clock.now() };
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        throw new CloudError(error.code, `${role.RoleArn} cannot be assumed: ${error.message}`, { cause: error });
      }
    };
    const current = async (): Promise<Session> => {
      if (session && clock.now() < Date.parse(session.credentials.Expiration) - margin) return session;
      pending ??= assume().finally(() => {
        pending = undefined;
      });
      session = await pending;
      return session;
    };

    const caller: Caller = { account, credentials: async () => (await current()).credentials };
    if (!own.as) throw new CloudError('UnsupportedOperation', 'this installation cannot assume roles');
    const cloud = own.as(caller);
    return {
      call: async (where, action, input) => {
        const { arn, since } = await current();
        // The session proves it.
        if (action === 'GetCallerIdentity') return { Account: account, Arn: arn } as never;
        try {
          return await cloud.call(where, action, input);
        } catch (error) {
          const isOver = error instanceof CloudError && rejected.test(error.code) && clock.now() - since >= youth;
          if (isOver && session?.since === since) session = undefined;
          throw error;
        }
      },
    };
  };

  const cloudOf: Sessions = (region, roles) => {
    if (roles.length === 0) return own;
    const key = JSON.stringify([region, ...roles]);
    const known = clouds.get(key) ?? open(region, roles);
    clouds.delete(key);
    clouds.set(key, known);
    const [oldest] = clouds.keys();
    if (clouds.size > mostKept && oldest !== undefined) clouds.delete(oldest);
    return known;
  };
  return cloudOf;
};
