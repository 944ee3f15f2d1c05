/** The status of a DynamoDB table. */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { explained } from './explain.ts';

export type Tables = Pick<DynamoDBClient, 'send'>;

/** Undefined if the table does not exist. */
export const tableStatus = async (tables: Tables, TableName: string): Promise<string | undefined> => {
  try {
    const { Table } = await tables.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw explained(error, { action: 'dynamodb:DescribeTable', what: `the table ${TableName}` });
  }
};
