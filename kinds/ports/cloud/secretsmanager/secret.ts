/** Secrets that hold bootstrap data. */
import type { Calls } from '../call.ts';
import type { Filter, Tag } from '../shared.ts';

export type SecretEntry = {
  ARN: string;
  Name: string;
  Tags: Tag[];
};
export interface SecretActions {
  CreateSecret: [
    /** SecretBinary is base64. ClientRequestToken makes repetition safe. */
    { Name: string; ClientRequestToken: string; SecretBinary: string; Tags: Tag[] },
    { ARN: string; Name: string },
  ];
  /** Replaces the value; ClientRequestToken makes repetition safe. At most one value each ten minutes. */
  PutSecretValue: [
    { SecretId: string; ClientRequestToken: string; SecretBinary: string },
    { ARN: string; Name: string },
  ];
  DeleteSecret: [{ SecretId: string; ForceDeleteWithoutRecovery: true }, { Name: string }];
  /** Consistent from the moment of creation; lists may lag by minutes. */
  DescribeSecret: [{ SecretId: string }, SecretEntry];
  ListSecrets: [{ Filters?: Filter[]; NextToken?: string }, { SecretList: SecretEntry[]; NextToken?: string }];
}

export const secretCalls = {
  CreateSecret: { also: ['secretsmanager:TagResource'] },
  PutSecretValue: {},
  DeleteSecret: {},
  DescribeSecret: {},
  ListSecrets: {},
} as const satisfies Calls<SecretActions>;
