/** The Table port on DynamoDB: partition key `pk` and sort key `sk`, both strings, and the TTL in `ttl`. */

import { createHash } from 'node:crypto';
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type Clock,
  type Item,
  mostWrites,
  type Table,
  type TableQuery,
  type Write,
} from '../../../machinery/ports.ts';
import { translated } from './errors.ts';
import { Expression } from './expression.ts';
import { type DynamoItem, fromDynamo, keyOf, sortKeyOf, toDynamo } from './value.ts';

export interface DynamoTableOptions {
  client: DynamoDBClient;
  tableName: string;
  /** DynamoDB deletes expired items up to days later; reads omit them. */
  clock: Pick<Clock, 'now'>;
}

type Change = Exclude<Write, { check: unknown }>;

/** A write without its table; without a condition the field is absent. */
const requestOf = (write: Write) => {
  const expression = new Expression();
  const key =
    'put' in write
      ? undefined
      : keyOf('check' in write ? write.check : 'delete' in write ? write.delete : write.update);
  const update = 'update' in write ? expression.update(write) : '';
  const condition = write.when && expression.condition(write.when);
  return {
    ...('put' in write ? { Item: toDynamo(write.put) } : { Key: key! }),
    ...(update && { UpdateExpression: update }),
    ...(condition && { ConditionExpression: condition }),
    ...expression.placeholders(),
  };
};

const transactItem = (TableName: string, write: Write): TransactWriteItem => {
  const request = { TableName, ...requestOf(write) };
  if ('put' in write) return { Put: request as TransactWriteItem['Put'] };
  if ('delete' in write) return { Delete: request as TransactWriteItem['Delete'] };
  if ('update' in write) return { Update: request as TransactWriteItem['Update'] };
  return { ConditionCheck: request as TransactWriteItem['ConditionCheck'] };
};

/** A token has at most 36 characters and is shared by all tables of the account. */
const clientToken = (tableName: string, token: string): string =>
  createHash('sha256').update(`${tableName} ${token}`).digest('hex').slice(0, 36);

const bounds = (expression: Expression, { from, to }: TableQuery): string => {
  if (from === undefined && to === undefined) return '';
  const text = (key: string | number) => expression.value({ S: sortKeyOf(key) });
  const sk = expression.name('sk');
  if (from === undefined) return ` AND ${sk} <= ${text(to!)}`;
  return to === undefined ? ` AND ${sk} >= ${text(from)}` : ` AND ${sk} BETWEEN ${text(from)} AND ${text(to)}`;
};

const isEmpty = ({ from, to }: TableQuery): boolean =>
  from !== undefined && to !== undefined && sortKeyOf(from) > sortKeyOf(to);

const actionOf = (write: Change): string => {
  if ('put' in write) return 'PutItem';
  return 'delete' in write ? 'DeleteItem' : 'UpdateItem';
};

export const dynamoTable = ({ client, tableName: TableName, clock }: DynamoTableOptions): Table => {
  const isEnded = ({ ttl }: Item) => typeof ttl === 'number' && ttl <= clock.now() / 1000;
  const shown = (item: DynamoItem | undefined): Item | undefined => {
    const found = item && fromDynamo(item);
    return found && !isEnded(found) ? found : undefined;
  };
  const sent = async <T>(wrote: boolean, action: string, request: Promise<T>): Promise<T> => {
    try {
      return await request;
    } catch (error) {
      throw translated(error, wrote, { action: `dynamodb:${action}`, what: `the table ${TableName}` });
    }
  };

  const change = async (write: Change): Promise<Item | undefined> => {
    const request = { TableName, ...requestOf(write), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
    if ('put' in write) {
      await client.send(new PutItemCommand(request as ConstructorParameters<typeof PutItemCommand>[0]));
      return write.put;
    }
    if ('delete' in write) {
      await client.send(new DeleteItemCommand(request as ConstructorParameters<typeof DeleteItemCommand>[0]));
      return undefined;
    }
    const update = { ...request, ReturnValues: 'ALL_NEW' as const };
    const { Attributes } = await client.send(
      new UpdateItemCommand(update as ConstructorParameters<typeof UpdateItemCommand>[0]),
    );
    return Attributes && fromDynamo(Attributes);
  };

  const page = async (query: TableQuery): Promise<{ items: Item[]; next?: Item }> => {
    if (isEmpty(query)) return { items: [] };
    const expression = new Expression();
    const partition = `${expression.name('pk')} = ${expression.value({ S: query.pk })}`;
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        ConsistentRead: query.consistent,
        KeyConditionExpression: `${partition}${bounds(expression, query)}`,
        ...expression.placeholders(),
        ScanIndexForward: !query.descending,
        ...(query.limit && { Limit: query.limit }),
        ...(query.after && { ExclusiveStartKey: keyOf(query.after) }),
      }),
    );
    const items = Items.map(shown).filter((item) => item !== undefined);
    return { items, ...(LastEvaluatedKey && { next: fromDynamo(LastEvaluatedKey) }) };
  };

  return {
    get: async (key, { consistent }) => {
      const request = new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: consistent });
      return shown((await sent(false, 'GetItem', client.send(request))).Item);
    },
    query: (query) => sent(false, 'Query', page(query)),
    write: (write) => sent(true, actionOf(write), change(write)),
    transact: async (token, writes) => {
      if (writes.length > mostWrites)
        throw new Error(`a transaction takes at most ${mostWrites} writes, on distinct items`);
      const request = new TransactWriteItemsCommand({
        TransactItems: writes.map((write) => transactItem(TableName, write)),
        ClientRequestToken: clientToken(TableName, token),
      });
      await sent(true, 'TransactWriteItems', client.send(request));
    },
  };
};
