/** Calls of the regional STS. */
import { AssumeRoleCommand, type Credentials, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { SessionCredentials } from '../../../kinds/ports/cloud/index.ts';
import { record, text, time } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const session = record<Credentials, SessionCredentials>({
  AccessKeyId: text,
  SecretAccessKey: text,
  SessionToken: text,
  Expiration: time,
});

export const operations = (config: ClientConfig): Operations<'sts'> => {
  const client = new STSClient(config);
  return {
    AssumeRole: (input) =>
      client
        .send(new AssumeRoleCommand(given(input)))
        .then(record({ Credentials: session, AssumedRoleUser: record({ Arn: text }) })),
    GetCallerIdentity: (input) =>
      client.send(new GetCallerIdentityCommand(given(input))).then(record({ Account: text, Arn: text })),
  };
};
