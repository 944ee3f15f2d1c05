/** Sessions of roles, and who calls. */
import type { Calls } from '../call.ts';
import type { Empty } from '../shared.ts';

/** A role to assume, with what its trust policy may ask for and what limits its session. */
export type AssumedRole = {
  RoleArn: string;
  /** The name of the session in CloudTrail. */
  RoleSessionName: string;
  DurationSeconds?: number;
  ExternalId?: string;
  /** A session policy as JSON. */
  Policy?: string;
  PolicyArns?: { arn: string }[];
};
export type SessionCredentials = {
  AccessKeyId: string;
  SecretAccessKey: string;
  SessionToken: string;
  /** RFC 3339. */
  Expiration: string;
};

export interface SessionActions {
  AssumeRole: [AssumedRole, { Credentials: SessionCredentials; AssumedRoleUser: { Arn: string } }];
  GetCallerIdentity: [Empty, { Account: string; Arn: string }];
}

export const sessionCalls = {
  AssumeRole: {},
  GetCallerIdentity: {},
} as const satisfies Calls<SessionActions>;
