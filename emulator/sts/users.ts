/** The identities with credentials in the emulated account. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Credentials } from '../endpoints.ts';

export interface Identity extends Credentials {
  arn: string;
  userId: string;
  /** The expiry of a session, in milliseconds since the epoch. */
  expires?: number;
}

const code = (prefix: string) => `${prefix}${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`;

export const createUsers = (account: string) => {
  const known = new Map<string, Identity>();
  const add = (identity: Identity): Identity => {
    known.set(identity.accessKeyId, identity);
    return identity;
  };
  return {
    of: (accessKeyId: string) => known.get(accessKeyId),
    /** Adds an IAM user; the same name has the same keys everywhere. */
    user: (name: string, secretAccessKey: string): Identity =>
      add({
        accessKeyId: `AKIA${Buffer.from(name).toString('hex').toUpperCase().padEnd(16, '0').slice(0, 16)}`,
        secretAccessKey,
        arn: `arn:aws:iam::${account}:user/${name}`,
        userId: `AIDA${Buffer.from(name).toString('hex').toUpperCase().padEnd(17, '0').slice(0, 17)}`,
      }),
    /** Adds a role session with the requested duration. */
    session: (roleArn: string, session: string, seconds: number): Identity => {
      const role = roleArn.split('/').at(-1) ?? '';
      return add({
        accessKeyId: code('ASIA'),
        secretAccessKey: randomBytes(30).toString('base64'),
        sessionToken: randomBytes(60).toString('base64'),
        arn: `arn:aws:sts::${account}:assumed-role/${role}/${session}`,
        userId: `${code('AROA')}:${session}`,
        expires: Date.now() + seconds * 1000,
      });
    },
  };
};
export type Users = ReturnType<typeof createUsers>;
