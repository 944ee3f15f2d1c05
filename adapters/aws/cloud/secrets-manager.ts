/** Calls of Secrets Manager. */
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  type DescribeSecretResponse,
  type FilterNameStringType,
  ListSecretsCommand,
  PutSecretValueCommand,
  type Tag as SdkTag,
  type SecretListEntry,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { SecretEntry, Tag } from '../../../kinds/ports/cloud/index.ts';
import { list, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const fields = { ARN: text, Name: text, Tags: list(record<SdkTag, Tag>({ Key: text, Value: text })) };
const entry = record<SecretListEntry, SecretEntry>(fields);
const described = record<DescribeSecretResponse, SecretEntry>(fields);

export const operations = (config: ClientConfig): Operations<'secretsmanager'> => {
  const client = new SecretsManagerClient(config);
  return {
    CreateSecret: ({ SecretBinary, ...input }) =>
      client
        .send(new CreateSecretCommand(given({ ...input, SecretBinary: Buffer.from(SecretBinary, 'base64') })))
        .then(record({ ARN: text, Name: text })),
    PutSecretValue: ({ SecretBinary, ...input }) =>
      client
        .send(new PutSecretValueCommand(given({ ...input, SecretBinary: Buffer.from(SecretBinary, 'base64') })))
        .then(record({ ARN: text, Name: text })),
    DeleteSecret: (input) => client.send(new DeleteSecretCommand(given(input))).then(record({ Name: text })),
    DescribeSecret: (input) => client.send(new DescribeSecretCommand(given(input))).then(described),
    // Only this service names a filter's field `Key`.
    ListSecrets: ({ Filters, ...input }) => {
      const filters = Filters?.map(({ Name, Values }) => ({ Key: Name as FilterNameStringType, Values }));
      return client
        .send(new ListSecretsCommand({ ...input, ...(filters && { Filters: filters }) }))
        .then(record({ SecretList: list(entry), NextToken: textIfAny }));
    },
  };
};
