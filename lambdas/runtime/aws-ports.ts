/** The ports as they are on AWS. */
import { dynamoTable } from '../../adapters/aws/dynamodb/table.ts';
import { kmsKeys } from '../../adapters/aws/keys/kms.ts';
import { dynamoDb, kms, sqs } from '../../adapters/aws/lambda/clients.ts';
import { lambdaLog } from '../../adapters/aws/lambda/log.ts';
import { sqsQueue } from '../../adapters/aws/queue/index.ts';
import { amazonRoots } from '../../adapters/aws/root-certificates.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { memoize } from '../../machinery/api/memoize.ts';
import { onDemand } from '../../machinery/once.ts';
import { underFormat } from '../../machinery/store/format-record.ts';
import { composeFoundation, type RuntimePorts } from '../../runtime/foundation.ts';
import type { BaseEnvironment } from '../environment.ts';

/** Loaded with the first call: few installations have webhooks. */
const webhooks = onDemand(async () => {
  const [{ webhookCaller }, { invokeFunction }, { lambdaClient }] = await Promise.all([
    import('../../adapters/webhook/index.ts'),
    import('../../adapters/aws/webhook/invoke.ts'),
    import('../../adapters/aws/webhook/client.ts'),
  ]);
  return webhookCaller({ invoke: invokeFunction(lambdaClient()) });
});

export const portsOf = (environment: BaseEnvironment): RuntimePorts => {
  const clock = systemClock;
  const [tables, queues] = [dynamoDb(), sqs()];
  const queueAt = memoize(10, (url) => sqsQueue({ client: queues, url, clock }));
  const table = (tableName: string) => dynamoTable({ client: tables, tableName, clock });
  const objects = underFormat(table(environment.OBJECTS_TABLE), clock);
  return {
    installation: environment.INSTALLATION,
    clock,
    random: systemRandom,
    log: lambdaLog({ clock, verbose: environment.LOG_LEVEL === 'info' }),
    keys: kmsKeys({ client: kms(), keyId: environment.KEY_ID, clock }),
    objects: objects.table,
    format: objects.format,
    work: table(environment.WORK_TABLE),
    rootCertificates: amazonRoots,
    callWebhook: async (...asked) => (await webhooks())(...asked),
    // One port per queue, which sends together what is sent at about the same time.
    queueOf: (worker, slow) => queueAt(environment.QUEUES[worker][slow ? 'slow' : 'hot']),
  };
};

export const foundationOf = (environment: BaseEnvironment, more: Pick<RuntimePorts, 'pageBytes'> = {}) =>
  composeFoundation({ ...portsOf(environment), ...more });
