/** Who has credentials in the emulated account. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Credentials } from '../endpoints.ts';

export interface Identity extends Credentials {
  arn: string;
  userId: string;
  /** Milliseconds since the epoch; of a session. */
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
    /** An IAM user; the same name has the same keys wherever it is added. */
    user: (name: string, secretAccessKey: string): Identity =>
      add({
        accessKeyId: `AKIA${Buffer.from(name).toString('hex').toUpperCase().padEnd(16, '0').slice(0, 16)}`,
        secretAccessKey,
        arn: `arn:aws:iam::${account}:user/${name}`,
        userId: `AIDA${Buffer.from(name).toString('hex').toUpperCase().padEnd(17, '0').slice(0, 17)}`,
      }),
    /** A session of a role, for as long as asked. */
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
