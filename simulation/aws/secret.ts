/** Secrets: callers write them; instances read and delete them if their profile allows it. */
import type { CollectionOf, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { type Fields, select } from './filters.ts';
import { hasProfile } from './identity.ts';
import { instanceState } from './instance.ts';
import { newHex } from './naming.ts';
import { partOf } from './paging.ts';
import { partitionOf } from './regions.ts';
import { isStale } from './staleness.ts';
import type { AccountState, Handlers } from './state.ts';
import { tagList } from './tags.ts';

export interface SecretRecord extends Stored {
  arn: string;
  name: string;
  /** Base64. */
  binary: string;
  token: string;
  /** When it was replaced within a day, in milliseconds since the epoch. */
  versions?: number[];
}

export const secrets: CollectionOf<SecretRecord> = {
  name: 'secrets',
  indexes: { name: ({ name }) => [name] },
};

/** The prefix that the AWS provider's instance profiles may access. */
const allowedPrefix = 'aws.cluster.x-k8s.io/';
const maxBytes = 65_536;

const invalid = (message: string): never => refuse('InvalidParameterException', message);

/** Systems Manager applies the same checks. */
export const checkSecretTags = (tags: { Key: string; Value: string }[]): Record<string, string> => {
  if (tags.length > 50) invalid('The number of tags is more than the maximum allowed, 50.');
  for (const { Key, Value } of tags) {
    if (!Key || Key.length > 128 || Value.length > 256) invalid('The tag key or value is not of a valid length.');
    if (/^aws:/i.test(Key)) invalid(`You can't use the prefix aws: in a tag key: ${Key}`);
  }
  if (new Set(tags.map(({ Key }) => Key)).size < tags.length) invalid('Duplicate tag keys.');
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
};

const find = (account: AccountState, region: string, nameOrArn: string): SecretRecord | undefined => {
  const byArn = account.secrets.get(nameOrArn);
  return byArn?.region === region
    ? byArn
    : account.secrets.by('name', nameOrArn).find((secret) => secret.region === region);
};

const fields: Fields<SecretRecord> = {
  all: ({ name, tags }) => [name, ...Object.entries(tags).flat()],
  name: ({ name }) => [name],
  'tag-key': ({ tags }) => Object.keys(tags),
  'tag-value': ({ tags }) => Object.values(tags),
};

const checkValue = (token: string, binary: string): void => {
  if (token.length < 32 || token.length > 64) invalid('ClientRequestToken must be 32-64 characters long.');
  const bytes = Buffer.from(binary, 'base64').length;
  if (bytes < 1 || bytes > maxBytes) invalid(`The secret value is not of a valid length: 1 to ${maxBytes} bytes.`);
};

/** Secrets Manager removes no version of the last day. */
const mostVersions = 100;
const day = 24 * 3_600_000;

export const secretActions = {
  CreateSecret: (call, { Name, ClientRequestToken, SecretBinary, Tags }) => {
    const { account, region, now } = call;
    if (!/^[\w/+=.@!-]{1,512}$/.test(Name))
      invalid(
        'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
      );
    checkValue(ClientRequestToken, SecretBinary);
    const tags = checkSecretTags(Tags);
    const known = find(account, region, Name);
    if (known && (known.token !== ClientRequestToken || known.binary !== SecretBinary))
      refuse('ResourceExistsException', `The operation failed because the secret ${Name} already exists.`);
    if (known) return { ARN: known.arn, Name };
    const arn = `arn:${partitionOf(region)}:secretsmanager:${region}:${account.accountId}:secret:${Name}-${newHex(account.random, 6)}`;
    account.secrets.put({
      id: arn,
      arn,
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      name: Name,
      binary: SecretBinary,
      token: ClientRequestToken,
    });
    return { ARN: arn, Name };
  },

  PutSecretValue: ({ account, region, now }, { SecretId, ClientRequestToken, SecretBinary }) => {
    const missing = "Secrets Manager can't find the specified secret.";
    const secret = find(account, region, SecretId) ?? refuse('ResourceNotFoundException', missing);
    checkValue(ClientRequestToken, SecretBinary);
    if (secret.token === ClientRequestToken && secret.binary !== SecretBinary)
      refuse('ResourceExistsException', `A version ${ClientRequestToken} with another value exists.`);
    if (secret.token !== ClientRequestToken) {
      const versions = (secret.versions ?? []).filter((at) => now - at < day);
      if (versions.length >= mostVersions)
        refuse('LimitExceededException', 'The secret has reached the quota of versions.');
      account.secrets.put({
        ...secret,
        binary: SecretBinary,
        token: ClientRequestToken,
        versions: [...versions, now],
      });
    }
    return { ARN: secret.arn, Name: secret.name };
  },

  DeleteSecret: ({ account, region }, { SecretId }) => {
    const secret = find(account, region, SecretId);
    if (secret) account.secrets.delete(secret.arn);
    return { Name: secret?.name ?? SecretId };
  },

  DescribeSecret: ({ account, region }, { SecretId }) => {
    const missing = "Secrets Manager can't find the specified secret.";
    const { arn, name, tags } = find(account, region, SecretId) ?? refuse('ResourceNotFoundException', missing);
    return { ARN: arn, Name: name, Tags: tagList(tags) };
  },

  ListSecrets: (call, { Filters, NextToken }) => {
    const { account, region } = call;
    // Secrets Manager matches a prefix of the value.
    const prefixes = Filters?.map(({ Name, Values }) => ({ Name, Values: Values.map((value) => `${value}*`) }));
    const visible = select(account.secrets, region, prefixes, fields).filter((secret) => !isStale(call, secret));
    const found = partOf(visible, NextToken, 100);
    return {
      SecretList: found.items.map(({ arn, name, tags }) => ({ ARN: arn, Name: name, Tags: tagList(tags) })),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },
} satisfies Handlers;

/**
 * The region in which the instance may use its profile; undefined when it does not run or has none.
 */
export const profileRegion = (account: AccountState, instanceId: string): string | undefined => {
  const instance = account.instances.get(instanceId);
  if (!instance?.profile || instanceState(instance, account.clock.now()) !== 'running') return undefined;
  return hasProfile(account, instance.profile) ? instance.region : undefined;
};

const allowed = (account: AccountState, instanceId: string, name: string): string | undefined =>
  name.startsWith(allowedPrefix) ? profileRegion(account, instanceId) : undefined;

export const readSecret = (account: AccountState, instanceId: string, name: string): Uint8Array | undefined => {
  const region = allowed(account, instanceId, name);
  const secret = region === undefined ? undefined : find(account, region, name);
  return secret && new Uint8Array(Buffer.from(secret.binary, 'base64'));
};

export const deleteSecret = (account: AccountState, instanceId: string, name: string): void => {
  const region = allowed(account, instanceId, name);
  const secret = region === undefined ? undefined : find(account, region, name);
  if (secret) account.secrets.delete(secret.arn);
};
