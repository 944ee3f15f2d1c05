/** Calls of IAM, which is global within a partition. */
import { GetInstanceProfileCommand, GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { record, text } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

export const operations = (config: ClientConfig): Operations<'iam'> => {
  const client = new IAMClient(config);
  return {
    GetInstanceProfile: (input) =>
      client
        .send(new GetInstanceProfileCommand(given(input)))
        .then(record({ InstanceProfile: record({ InstanceProfileName: text, Arn: text }) })),
    GetRole: (input) =>
      client.send(new GetRoleCommand(given(input))).then(record({ Role: record({ RoleName: text, Arn: text }) })),
  };
};
