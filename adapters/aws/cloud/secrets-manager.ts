/** The calls of Secrets Manager. */
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  type FilterNameStringType,
  ListSecretsCommand,
  type Tag as SdkTag,
  type SecretListEntry,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { SecretEntry, Tag } from '../../../kinds/ports/cloud.ts';
import { list, record, text, textIfAny } from './decode.ts';
import { given } from './given.ts';
import type { ClientConfig, Operations } from './operations.ts';

const entry = record<SecretListEntry, SecretEntry>({
  ARN: text,
  Name: text,
  Tags: list(record<SdkTag, Tag>({ Key: text, Value: text })),
});

export const operations = (config: ClientConfig): Operations<'secretsmanager'> => {
  const client = new SecretsManagerClient(config);
  return {
    CreateSecret: ({ SecretBinary, ...input }) =>
      client
        .send(new CreateSecretCommand(given({ ...input, SecretBinary: Buffer.from(SecretBinary, 'base64') })))
        .then(record({ ARN: text, Name: text })),
    DeleteSecret: (input) => client.send(new DeleteSecretCommand(given(input))).then(record({ Name: text })),
    // This service alone calls the name of a filter its key.
    ListSecrets: ({ Filters, ...input }) => {
      const filters = Filters?.map(({ Name, Values }) => ({ Key: Name as FilterNameStringType, Values }));
      return client
        .send(new ListSecretsCommand({ ...input, ...(filters && { Filters: filters }) }))
        .then(record({ SecretList: list(entry), NextToken: textIfAny }));
    },
  };
};
