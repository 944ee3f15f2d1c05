/** `capstan destroy`: deletes the stacks. Stored data is retained, and with clusters it does nothing. */
import type { Stack } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { dynamoTable } from '../adapters/aws/dynamodb/table.ts';
import { parameterMarker } from '../adapters/aws/marker/parameter.ts';
import { systemClock } from '../adapters/memory/clock.ts';
import { type BlockingObjects, renderBlockingObjects } from '../lambdas/runtime/blocking-objects.ts';
import { writeForce } from '../lambdas/runtime/force.ts';
import { standingOf } from '../lambdas/runtime/guarding.ts';
import { openProgress } from '../tools/progress.mjs';
import { installationOf } from './aws/context.ts';
import { explained } from './aws/explain.ts';
import { deleteKept, findKept, type Kept, renderKept, renderUnknown } from './aws/kept.ts';
import { findKeptCopies, renderKeptCopies } from './aws/kept-copies.ts';
import type { DeploymentOptions } from './aws/options.ts';
import { removeStack } from './aws/remove.ts';
import { openSession, type Session, settings } from './aws/session.ts';
import { findShared, renderShared } from './aws/shared.ts';
import {
  type CloudFormation,
  cloudFormation,
  expectAbandoned,
  findStack,
  monitoringStackOf,
  type Outputs,
  outputsOf,
  stackOf,
} from './aws/stack.ts';
import { findUnderKey } from './aws/under-key.ts';
import { confirm } from './confirm.ts';
import { CliError } from './errors.ts';
import { type Advise, interruptible } from './interruptible.ts';
import { typed } from './output.ts';

export interface DestroyOptions extends DeploymentOptions {
  force?: boolean;
  deleteData?: boolean;
  deleteKey?: boolean;
  yes?: boolean;
}

const print = (text: string): void => console.log(text);

/** The existing clusters, or undefined when they are unknown and the user accepts that. */
const livingOf = async (
  installation: string,
  ObjectsTable: string,
  isForced: boolean,
): Promise<BlockingObjects[] | undefined> => {
  const clock = systemClock;
  try {
    const { living } = await standingOf({
      installation,
      objects: dynamoTable({ client: new DynamoDBClient(settings), tableName: ObjectsTable, clock }),
      marker: parameterMarker({ client: new SSMClient(settings), installation }),
      log: { info: () => {}, error: (message) => print(`Note: ${message}`) },
    });
    return living;
  } catch (error) {
    const why = explained(error, { action: 'dynamodb:Query', what: `the table ${ObjectsTable}` });
    if (!isForced) throw new CliError(`whether clusters exist cannot be found out: ${why.message}`, 1, { cause: why });
    print(`Note: whether clusters exist cannot be found out: ${why.message}`);
    return undefined;
  }
};

const conveyForce = async (WorkTable: string, { StackId = '' }: Stack, by: string): Promise<void> => {
  const clock = systemClock;
  const work = dynamoTable({ client: new DynamoDBClient(settings), tableName: WorkTable, clock });
  try {
    await writeForce(work, { stack: StackId, by }, clock.now());
  } catch (error) {
    const why = explained(error, { action: 'dynamodb:PutItem', what: `the table ${WorkTable}` });
    print(`Note: the guard cannot be told that this is forced: ${why.message}`);
  }
};

const refuse = (installation: string, living: readonly BlockingObjects[]): CliError =>
  new CliError(
    `installation ${installation} still has ${renderBlockingObjects(living)}. Nothing was changed.
  Delete the clusters, wait until they are gone, and run this again:  kubectl delete clusters --all --all-namespaces
  Or leave their machines in the account, without a controller and at your cost:  ${typed('destroy --force')}`,
  );

/** What becomes of the stored data. */
const fateOf = ({ deleteData, deleteKey }: DestroyOptions, underKey: readonly string[]): string => {
  if (!deleteData) return 'Its tables and its key are kept, and charged for.';
  if (underKey.length === 0) return 'All its objects are deleted, for good; its key can be had back for 30 days.';
  const what = underKey.join(', ');
  return deleteKey
    ? `All its objects are deleted, for good. Its key can be had back for 30 days; then this cannot be read: ${what}.`
    : `All its objects are deleted, for good. Its key is kept, because it encrypts ${what}.`;
};

const questionOf = (
  installation: string,
  options: DestroyOptions,
  { living, underKey }: { living: readonly BlockingObjects[]; underKey: readonly string[] },
): string =>
  [
    `This takes down the control plane ${installation}.`,
    ...(options.force && living.length > 0
      ? [`It leaves behind what belongs to ${renderBlockingObjects(living)}.`]
      : []),
    fateOf(options, underKey),
  ].join('\n');

const removeAll = async (client: CloudFormation, stacks: readonly Stack[], withoutGuard: boolean): Promise<void> => {
  const progress = openProgress(process.stdout);
  try {
    for (const stack of stacks) {
      progress.step(`Waiting for CloudFormation to delete ${stack.StackName}`);
      await removeStack({ client, stack, withoutGuard, print: progress.line });
    }
    progress.done();
  } catch (error) {
    progress.failed();
    throw error;
  }
};

/** What stays of the kept resources after `--delete-data`. */
const leftOf = ({ key, ...kept }: Kept, withKey: boolean): Kept => ({
  ...kept,
  tables: [],
  ...(!withKey && key !== undefined && { key }),
});

/** Where the installation acted, as its mark says until its deletion. */
const regionsOf = async ({ region }: Session, installation: string): Promise<string[]> => {
  try {
    const mark = await parameterMarker({ client: new SSMClient(settings), installation }).read();
    return [...new Set([region, ...(mark?.regions ?? [])])];
  } catch (error) {
    print(`Note: the regions of the installation's clusters cannot be found out: ${(error as Error).message}`);
    return [region];
  }
};

/** What to do when the command ends while CloudFormation works: the deleted stack had these names. */
const goesOn = (names: readonly string[], outputs: Outputs, { region }: Session): string => {
  const { ObjectsTable, WorkTable, KeyArn, SnapshotBucket, AuditLogGroup } = outputs;
  const kept = [ObjectsTable, WorkTable, KeyArn, SnapshotBucket, AuditLogGroup].filter((one) => one !== undefined);
  return [
    'CloudFormation goes on with a deletion that has begun. See it:',
    ...names.map((name) => `  aws cloudformation describe-stacks --stack-name ${name} --region ${region}`),
    `While one of them exists, this goes on, and lists what is kept:  ${typed('destroy')}  with the same options`,
    ...(kept.length > 0
      ? ['Once they are gone, what exists of these is left, and charged for:', ...kept.map((one) => `  ${one}`)]
      : []),
  ].join('\n');
};

export const destroy = (options: DestroyOptions): Promise<void> =>
  interruptible('Nothing was changed.', (advise) => destroyAll(options, advise));

const destroyAll = async (options: DestroyOptions, advise: Advise): Promise<void> => {
  const { force = false, deleteData = false, deleteKey = false, yes = false } = options;
  if (deleteKey && !deleteData)
    throw new CliError('--delete-key needs --delete-data: the tables hold Secrets under this key', 2);
  const installation = installationOf(options.context ?? {});
  const session = await openSession(options);
  const client = cloudFormation();
  const [stack, monitoring] = [
    await findStack(client, stackOf(installation)),
    await findStack(client, monitoringStackOf(installation)),
  ];
  const there = [monitoring, stack].filter((one) => one !== undefined);
  const moving = there.find(({ StackStatus }) => StackStatus?.endsWith('_IN_PROGRESS'));
  if (moving && moving.StackStatus !== 'REVIEW_IN_PROGRESS')
    throw new CliError(
      `${moving.StackName} is ${moving.StackStatus}: another command works on it, or CloudFormation goes on after one that was interrupted. Nothing was changed. Wait until that ends, then run this again:  aws cloudformation describe-stacks --stack-name ${moving.StackName} --region ${session.region}`,
    );
  if (!force) for (const one of there) expectAbandoned(one, systemClock.now());
  if (there.length === 0) {
    print(
      `There is no installation ${installation} in ${session.region} of account ${session.account}: nothing to do. A first deployment that has just begun is seen once CloudFormation has its stack: if one runs, wait until it ends, then run this again.`,
    );
    return;
  }
  const outputs = stack ? outputsOf(stack) : {};
  const { ObjectsTable, WorkTable } = outputs;
  const living = ObjectsTable === undefined ? [] : await livingOf(installation, ObjectsTable, force);
  if (living && living.length > 0 && !force) throw refuse(installation, living);
  const clients = {
    tables: new DynamoDBClient(settings),
    keys: new KMSClient(settings),
    buckets: new S3Client(settings),
    logs: new CloudWatchLogsClient(settings),
  };
  const underKey = deleteData ? await findUnderKey(clients, outputs) : [];
  const regions = await regionsOf(session, installation);
  if (!yes) await confirm(questionOf(installation, options, { living: living ?? [], underKey }), installation);
  advise(
    goesOn(
      there.flatMap(({ StackName }) => StackName ?? []),
      outputs,
      session,
    ),
  );
  if (force && stack && WorkTable !== undefined) await conveyForce(WorkTable, stack, session.caller);
  await removeAll(client, there, force);
  const kept = await findKept(clients, outputs);
  const withKey = deleteKey || underKey.length === 0;
  try {
    if (deleteData) await deleteKept(clients, { ...kept, key: withKey ? kept.key : undefined });
  } catch (error) {
    // The deleted stack had their names.
    print(renderKept(kept, session.region));
    throw error;
  }
  print(`\nThe control plane ${installation} is gone from ${session.region} of account ${session.account}.`);
  if (deleteData)
    print(withKey ? 'Its tables are deleted, and its key will be in 30 days.' : 'Its tables are deleted.');
  print(renderKept(deleteData ? leftOf(kept, withKey) : kept, session.region));
  const copies = await findKeptCopies(installation, regions);
  const lines = [...renderKeptCopies(copies), ...renderUnknown(copies.unknown)];
  if (lines.length > 0) print(lines.join('\n'));
  print(renderShared(await findShared(session, installation, client), living ?? []));
};
