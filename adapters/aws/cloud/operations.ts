/** What a service's file gives: for each action that the service answers, the call of its client. */
import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { CloudInput, CloudOutput } from '../../../kinds/ports/cloud.ts';
import type { ActionOf, Service } from './permissions.ts';

export type Operations<S extends Service> = {
  [A in ActionOf<S>]: (input: CloudInput<A>) => Promise<CloudOutput<A>>;
};

/** What every client is made with; AWS's own environment variables and files say the rest. */
export interface ClientConfig {
  region: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** For whoever reads the account's audit log. */
  customUserAgent: 'capstan';
  /** Tried once: what may be repeated, and when, is decided above. */
  maxAttempts: 1;
  requestHandler: NonNullable<EC2ClientConfig['requestHandler']>;
}
