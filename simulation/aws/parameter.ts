/**
 * Systems Manager parameters: callers write them; instances read and delete them if their profile
 * allows it.
 */

import type { ParameterFilter } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { partOf } from './paging.ts';
import { partitionOf } from './regions.ts';
import { checkSecretTags, profileRegion } from './secret.ts';
import { isStale } from './staleness.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

export interface ParameterRecord extends Stored {
  name: string;
  value: string;
}

export const parameters: CollectionOf<ParameterRecord> = {
  name: 'parameters',
};

const allowedPrefix = '/cluster.x-k8s.io/';
/** The limit of the standard tier. */
const maxBytes = 4096;

const arnOf = (account: AccountState, region: string, name: string): string =>
  `arn:${partitionOf(region)}:ssm:${region}:${account.accountId}:parameter${name}`;

const find = ({ account, region }: Pick<Call, 'account' | 'region'>, name: string): ParameterRecord | undefined =>
  account.parameters.get(arnOf(account, region, name));

const fits = ({ name, tags }: ParameterRecord, { Key, Values }: ParameterFilter): boolean =>
  Key === 'Name'
    ? Values.some((value) => name.startsWith(value))
    : Values.some((value) => tags[Key.slice('tag:'.length)] === value);

export const parameterActions = {
  PutParameter: (call, { Name, Value, Tags }) => {
    const { account, region, now } = call;
    if (!/^(\/[\w.-]+){1,15}$/.test(Name) || Name.length > 1011)
      refuse('ValidationException', `Parameter name: can't be "${Name}"`);
    if (Buffer.byteLength(Value) < 1 || Buffer.byteLength(Value) > maxBytes)
      refuse(
        'ValidationException',
        `Standard tier parameters support a maximum parameter value of ${maxBytes} characters. To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier.`,
      );
    const tags = checkSecretTags(Tags);
    if (find(call, Name))
      refuse(
        'ParameterAlreadyExists',
        'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
      );
    const id = arnOf(account, region, Name);
    account.parameters.put({ id, region, seq: account.nextSeq(), created: now, tags, name: Name, value: Value });
    return { Version: 1 };
  },

  DescribeParameters: (call, { ParameterFilters, NextToken }) => {
    const matching = call.account.parameters
      .by('region', call.region)
      .filter((parameter) => !isStale(call, parameter))
      .filter((parameter) => ParameterFilters.every((filter) => fits(parameter, filter)));
    const found = partOf(matching, NextToken, 10);
    return {
      Parameters: found.items.map(({ name }) => ({ Name: name })),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  ListTagsForResource: (call, { ResourceId }) => ({
    TagList: tagList(
      (find(call, ResourceId) ?? refuse('InvalidResourceId', `The resource ID ${ResourceId} is not valid.`)).tags,
    ),
  }),

  DeleteParameter: (call, { Name }) => {
    const parameter = find(call, Name) ?? refuse('ParameterNotFound', `Parameter ${Name} not found.`);
    call.account.parameters.delete(parameter.id);
    return {};
  },
} satisfies Handlers;

export const isParameter = (name: string): boolean => name.startsWith('/');

const reached = (account: AccountState, instanceId: string, name: string): ParameterRecord | undefined => {
  const region = profileRegion(account, instanceId);
  return region !== undefined && name.startsWith(allowedPrefix) ? find({ account, region }, name) : undefined;
};

export const readParameter = (account: AccountState, instanceId: string, name: string): Uint8Array | undefined => {
  const parameter = reached(account, instanceId, name);
  return parameter && new Uint8Array(Buffer.from(parameter.value, 'base64'));
};

export const deleteParameter = (account: AccountState, instanceId: string, name: string): void => {
  const parameter = reached(account, instanceId, name);
  if (parameter) account.parameters.delete(parameter.id);
};
