/**
 * The audit webhook alone: without the store, the kinds and the keys, which its role could not use. It wakes
 * only an installation that is awake, because a cluster exists.
 */
import { dynamoTable } from '../../adapters/aws/dynamodb/table.ts';
import { dynamoDb, sqs } from '../../adapters/aws/lambda/clients.ts';
import { lambdaLog } from '../../adapters/aws/lambda/log.ts';
import { sqsQueue } from '../../adapters/aws/queue/send.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { createWork } from '../../machinery/controller/work.ts';
import type { Clock, Log, Queue, Random, Table } from '../../machinery/ports.ts';
import { failureResponse, notServed } from '../../machinery/server/status.ts';
import { createAuditWebhook } from '../../runtime/audit-webhook.ts';
import type { ReceivingEnvironment } from '../environment.ts';

export interface ReceivingPorts {
  objects: Table;
  work: Table;
  /** The queue of the workers that connect to workload clusters. */
  queue: Queue;
  clock: Clock;
  random: Random;
  log: Log;
}

export interface Receiving {
  log: Log;
  fetch(request: Request): Promise<Response>;
}

export const createReceiving = ({ objects, work, queue, clock, random, log }: ReceivingPorts): Receiving => {
  const workItems = createWork({ table: work, queueOf: () => queue, clock, random });
  const webhook = createAuditWebhook({ objects, workItems, clock, log });
  return { log, fetch: async (request) => (await webhook.fetch(request)) ?? failureResponse(notServed()) };
};

export const receivingOf = ({ OBJECTS_TABLE, WORK_TABLE, QUEUES, LOG_LEVEL }: ReceivingEnvironment): Receiving => {
  const clock = systemClock;
  const client = dynamoDb();
  return createReceiving({
    objects: dynamoTable({ client, tableName: OBJECTS_TABLE, clock }),
    work: dynamoTable({ client, tableName: WORK_TABLE, clock }),
    queue: sqsQueue({ client: sqs(), url: QUEUES.workload.hot, clock }),
    clock,
    random: systemRandom,
    log: lambdaLog({ clock, verbose: LOG_LEVEL === 'info' }),
  });
};
