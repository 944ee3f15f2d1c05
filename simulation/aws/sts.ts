/** STS: roles of all simulated accounts, who may assume them, and their sessions. */
import type { Records, Storage } from '../ports.ts';
import { refuse } from './errors.ts';
import { newHex } from './naming.ts';
import { partitionOf } from './regions.ts';
import { type Call, type Handlers, scaled } from './state.ts';

export interface RoleRecord {
  arn: string;
  /** ARNs of roles, or accounts: the principals of its trust policy. */
  trusts: string[];
  /** What the trust policy asks for. */
  externalId?: string;
  /** Milliseconds: sessions that began before are denied everything. */
  revoked?: number;
}
interface SessionRecord {
  arn: string;
  role: string;
  began: number;
  ends: number;
}

/** What all accounts share. */
export interface Directory {
  roles: Records<RoleRecord>;
  sessions: Records<SessionRecord>;
}
export const openDirectory = (storage: Storage): Directory => ({
  roles: storage.records('roles'),
  sessions: storage.records('sessions'),
});

/** The role that the installation has in its own account. */
export const ownRole = (accountId: string): string => `arn:aws:iam::${accountId}:role/capstan`;

/** Who calls with a session's token. Throws CloudError for a session that is over. */
export const callerWith = ({ sessions, roles }: Directory, token: string, now: number): Call['caller'] => {
  const session = sessions.get(token);
  if (!session) return refuse('InvalidClientTokenId', 'The security token included in the request is invalid.');
  if (now >= session.ends) return refuse('ExpiredToken', 'The security token included in the request is expired.');
  const role = roles.get(session.role);
  if (!role) return refuse('InvalidClientTokenId', 'The security token included in the request is invalid.');
  if (session.began < (role.revoked ?? 0))
    return refuse(
      'UnauthorizedOperation',
      `You are not authorized to perform this operation. User: ${session.arn} is not authorized with an explicit deny in an identity-based policy`,
    );
  return session;
};

const longestChained = 3600;

export const sessionActions = {
  AssumeRole: ({ account, region, now, caller }, { RoleArn, RoleSessionName, ExternalId, DurationSeconds = 3600 }) => {
    const role = account.directory.roles.get(RoleArn);
    const isTrusted = role?.trusts.some((one) => one === caller.role || one === caller.role.split(':')[4]);
    if (!role || !isTrusted || (role.externalId !== undefined && role.externalId !== ExternalId))
      refuse(
        'AccessDenied',
        `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`,
      );
    // The installation's own credentials are those of a role, too.
    if (DurationSeconds > longestChained)
      refuse(
        'ValidationError',
        'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
      );
    const [, , , , id, path = ''] = RoleArn.split(':');
    const arn = `arn:${partitionOf(region)}:sts::${id}:assumed-role/${path.split('/').at(-1)}/${RoleSessionName}`;
    const token = newHex(account.random, 32);
    const ends = now + scaled(account, DurationSeconds * 1000);
    account.directory.sessions.put(token, { arn, role: RoleArn, began: now, ends });
    return {
      Credentials: {
        AccessKeyId: `ASIA${newHex(account.random, 16)}`,
        SecretAccessKey: newHex(account.random, 40),
        SessionToken: token,
        Expiration: new Date(ends).toISOString(),
      },
      AssumedRoleUser: { Arn: arn },
    };
  },
  GetCallerIdentity: ({ account, caller }) => ({ Account: account.accountId, Arn: caller.arn }),
} satisfies Handlers;
