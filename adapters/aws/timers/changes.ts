/** The event source mapping of the objects' stream. It stays enabled while the installation sleeps. */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Clock } from '../../../machinery/ports.ts';
import { sent } from '../service/error.ts';
import { mappings } from './mappings.ts';

export interface ChangesOptions {
  tables: Pick<DynamoDBClient, 'send'>;
  functions: Pick<LambdaClient, 'send'>;
  tableName: string;
  uuid: string;
  clock: Clock;
}

export interface ChangesWatch {
  /** Enables the mapping if it is disabled. Returns why changes are still not dispatched; undefined if they are. */
  keep(): Promise<string | undefined>;
}

/** Mapping and table differ after a restore from a backup: the restored table has another stream or none. */
export const changes = ({ tables, functions, tableName, uuid, clock }: ChangesOptions): ChangesWatch => ({
  keep: async () => {
    const [{ Table }, { EventSourceArn, State = '' }] = await Promise.all([
      sent(tables.send(new DescribeTableCommand({ TableName: tableName })), {
        action: 'dynamodb:DescribeTable',
        what: `the table ${tableName}`,
      }),
      sent(functions.send(new GetEventSourceMappingCommand({ UUID: uuid })), {
        action: 'lambda:GetEventSourceMapping',
        what: `the event source mapping ${uuid}`,
      }),
    ]);
    const { LatestStreamArn, StreamSpecification } = Table ?? {};
    if (!StreamSpecification?.StreamEnabled) return `the table ${tableName} has no stream`;
    if (EventSourceArn !== LatestStreamArn)
      return `the event source mapping ${uuid} reads ${EventSourceArn}, and the table ${tableName} writes to ${LatestStreamArn}`;
    if (State === 'Disabled' || State === 'Disabling')
      await mappings({ client: functions, uuids: [uuid], clock }).enable();
    return undefined;
  },
});
