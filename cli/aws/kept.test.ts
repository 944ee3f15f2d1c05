import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KMSClient } from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';
import { deleteKept, type KeptClients, renderKept } from './kept.ts';

const named = (name: string) => Object.assign(new Error('no'), { name });

/** Tables that are updated for a while before they can be deleted, as DynamoDB's are. */
const account = (updating: number) => {
  const asked: string[] = [];
  let ready = 0;
  const answers: Record<string, () => unknown> = {
    UpdateTableCommand: () => {
      ready = Date.now() + updating;
      return {};
    },
    DescribeTableCommand: () => ({ Table: { TableStatus: Date.now() < ready ? 'UPDATING' : 'ACTIVE' } }),
    DeleteTableCommand: () => {
      if (Date.now() < ready) throw named('ResourceInUseException');
      return {};
    },
    ScheduleKeyDeletionCommand: () => ({}),
  };
  const send = async (command: object) => {
    const name = command.constructor.name;
    asked.push(name.replace(/Command$/, ''));
    await wait(0);
    return answers[name]!();
  };
  const clients: KeptClients = {
    tables: { send } as unknown as DynamoDBClient,
    keys: { send } as unknown as KMSClient,
  };
  return { clients, asked };
};

describe('what is kept', () => {
  it('is deleted once its protection is off', async () => {
    const { clients, asked } = account(20);
    await deleteKept(clients, { tables: ['objects'], key: 'arn:key' }, 5);
    expect([...new Set(asked)]).toEqual(['UpdateTable', 'DescribeTable', 'DeleteTable', 'ScheduleKeyDeletion']);
  });

  it('is told with the commands that delete it, which wait as well', () => {
    const lines = renderKept({ tables: ['objects'] }, 'eu-central-1').split('\n');
    expect(lines.filter((line) => line.includes('aws dynamodb')).map((line) => line.trim().split(' ')[2])).toEqual([
      'update-table',
      'wait',
      'delete-table',
    ]);
  });
});
