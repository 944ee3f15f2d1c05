/** A separate table on the DynamoDB that AWS_ENDPOINT_URL_DYNAMODB (or AWS_ENDPOINT_URL) names. */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { dynamoTable } from '../../../adapters/aws/dynamodb/table.ts';
import type { Clock, Table } from '../../../machinery/ports.ts';
import type { TableUnderTest } from '../../contract/store.contract.ts';
import { clientConfig } from './endpoint.ts';

/** The pending calls of a table. */
const counted = (table: Table): { table: Table; underWay: () => Promise<boolean> } => {
  const calls = new Set<Promise<unknown>>();
  const count = <T>(call: Promise<T>): Promise<T> => {
    calls.add(call);
    const ended = () => calls.delete(call);
    call.then(ended, ended);
    return call;
  };
  return {
    table: {
      get: (...given) => count(table.get(...given)),
      query: (...given) => count(table.query(...given)),
      write: (...given) => count(table.write(...given)),
      transact: (...given) => count(table.transact(...given)),
    },
    underWay: async () => {
      const hadCalls = calls.size > 0;
      await Promise.allSettled(calls);
      return hadCalls;
    },
  };
};

export const onDynamo = async (clock: Clock): Promise<Required<TableUnderTest>> => {
  const client = new DynamoDBClient(clientConfig('DYNAMODB'));
  const TableName = `capstan-contract-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName });
  return {
    ...counted(dynamoTable({ client, tableName: TableName, clock })),
    close: () => void client.send(new DeleteTableCommand({ TableName })).finally(() => client.destroy()),
  };
};
