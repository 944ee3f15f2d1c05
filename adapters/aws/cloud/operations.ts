/** A service's calls by action. */
import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { CloudInput, CloudOutput } from '../../../kinds/ports/cloud/index.ts';
import type { ActionOf, Api } from './permissions.ts';

export type Operations<T extends Api> = {
  [A in ActionOf<T>]: (input: CloudInput<A>) => Promise<CloudOutput<A>>;
};

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Settings of every client; the rest comes from AWS's variables and files. */
export interface ClientConfig {
  region: string;
  endpoint?: string;
  /** By default those of the process. */
  credentials?: Credentials | (() => Promise<Credentials & { expiration: Date }>);
  /** Identifies Capstan in CloudTrail. */
  customUserAgent: 'capstan';
  /** The caller decides about retries. */
  maxAttempts: 1;
  requestHandler: NonNullable<EC2ClientConfig['requestHandler']>;
}
