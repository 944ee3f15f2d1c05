/** Restores the objects of an installation to an earlier state. */
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { dynamoTable } from '../../adapters/aws/dynamodb/table.ts';
import { kmsKeys } from '../../adapters/aws/keys/kms.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import { isolatedOrThrow } from '../../machinery/isolated.ts';
import type { Table } from '../../machinery/ports.ts';
import { underFormat } from '../../machinery/store/format-record.ts';
import { openStore } from '../../machinery/store/index.ts';
import { installationOf } from '../aws/context.ts';
import type { DeploymentOptions } from '../aws/options.ts';
import { openSession, type Session, settings } from '../aws/session.ts';
import { cloudFormation, findStack, outputsOf, stackOf } from '../aws/stack.ts';
import { CliError } from '../errors.ts';
import { type Advise, interruptible } from '../interruptible.ts';
import {
  applyDifference,
  type Difference,
  differencesBetween,
  isWritten,
  noteRestore,
  type Side,
  setPositionBack,
} from './objects.ts';
import { beginRestore, restoredName, untilActive } from './table.ts';

export interface RestoreOptions extends DeploymentOptions {
  time?: Date;
  fromTable?: string;
  /** The KMS key of the restored table's Secrets; by default the installation's. */
  fromKey?: string;
  keepNewer?: boolean;
  /** Restores the others although some objects cannot be read and do not exist now. */
  withoutUnreadable?: boolean;
  yes?: boolean;
}

/** Milliseconds. Workers cache for half a minute that the installation is not frozen. */
export const noticed = 40_000;
const shown = 20;

const phrases: Record<Difference['do'], string> = {
  create: 'brought back',
  update: 'changed back',
  replace: 'replaced (another object has the name now)',
  remove: 'removed (made since then)',
  keep: 'that cannot be read as of then, and stay as they are',
  lack: 'that cannot be read as of then, and would be missing',
};

/** Renders the pending writes: counts and a few names per kind. */
export const renderDifferences = (differences: readonly Difference[]): string => {
  if (differences.length === 0) return 'Nothing differs.';
  const parts = (Object.keys(phrases) as Difference['do'][]).flatMap((sort) => {
    const of = differences.filter((one) => one.do === sort);
    if (of.length === 0) return [];
    const names = of
      .slice(0, shown)
      .map(({ kind, key }) => `    ${kind} ${[key.namespace, key.name].filter(Boolean).join('/')}`);
    const more = of.length > shown ? [`    and ${of.length - shown} more`] : [];
    return [`  ${of.length} ${phrases[sort]}:`, ...names, ...more];
  });
  return parts.join('\n');
};

const print = (text: string): void => console.log(text);

const deletion = (table: string, { region }: Session): string =>
  `aws dynamodb delete-table --table-name ${table} --region ${region}`;

const sourceOf = async (
  tables: DynamoDBClient,
  table: string,
  { time, fromTable }: RestoreOptions,
  advise: Advise,
): Promise<string> => {
  if (fromTable !== undefined) return fromTable;
  if (time === undefined) throw new CliError('name a time with --time, or a restored table with --from-table', 2);
  advise(
    `DynamoDB may have begun to restore ${restoredName(table, time)}. The same command goes on with it; no object was changed.`,
  );
  const source = await beginRestore(tables, table, time);
  print(`Restoring ${table} as of ${time.toISOString()} into ${source}`);
  return source;
};

/** The command that goes on with the restored table. */
const repeated = (
  source: string,
  installation: string,
  { region }: Session,
  { fromKey, keepNewer, withoutUnreadable, profile, yes = false }: RestoreOptions,
): string =>
  [
    `capstan restore --from-table ${source}`,
    ...(fromKey === undefined ? [] : [`--from-key ${fromKey}`]),
    ...(keepNewer ? ['--keep-newer'] : []),
    ...(withoutUnreadable ? ['--without-unreadable'] : []),
    `--context installation=${installation} --region ${region}`,
    ...(profile === undefined ? [] : [`--profile ${profile}`]),
    ...(yes ? ['--yes'] : []),
  ].join(' ');

/** Milliseconds between two lines of progress. */
const silence = 10_000;

/** Counts what is written, and says now and then how far it is. */
const counted = (of: number, now: () => number): (() => void) => {
  let written = 0;
  let printedAt = now();
  if (of > 0) print(`Writing ${of} objects …`);
  return () => {
    written++;
    if (now() - printedAt < silence) return;
    printedAt = now();
    print(`  ${written} of ${of} written`);
  };
};

export interface Sides {
  tables: { from: Table; to: Table };
  stores: { from: Side; to: Side };
}

/** Freezes the installation, waits until its workers have noticed, and writes what differs then. */
export const writeDifferences = async (
  { tables, stores }: Sides,
  {
    command,
    keepNewer = false,
    now,
    untilNoticed,
  }: { command: string; keepNewer?: boolean | undefined; now: () => number; untilNoticed: () => Promise<unknown> },
): Promise<number> => {
  if (await setPositionBack(tables.from, tables.to)) print('The installation freezes until you run capstan thaw.');
  await noteRestore(stores.to, now(), command);
  print(`Waiting ${noticed / 1000} s, until every worker has noticed …`);
  await untilNoticed();
  // Workers may have written before they saw the freeze.
  const differences = await differencesBetween({ ...stores, kinds: kindsOf(kindsOnDemand) }, { keepNewer });
  const progress = counted(differences.filter(isWritten).length, now);
  await isolatedOrThrow(differences, async (difference) => {
    await applyDifference(stores.to, difference, now());
    if (isWritten(difference)) progress();
  });
  await noteRestore(stores.to, now(), undefined);
  return differences.filter(isWritten).length;
};

/** Without its Secrets a cluster cannot be managed, and the usual cause is a wrong key. */
export const expectReadable = (
  differences: readonly Difference[],
  key: string,
  { withoutUnreadable = false }: Pick<RestoreOptions, 'withoutUnreadable'>,
): void => {
  const lacking = differences.filter((difference) => difference.do === 'lack');
  if (lacking.length === 0 || withoutUnreadable) return;
  throw new CliError(
    `${lacking.length} objects cannot be read with the key ${key}, and would be missing after the restore. Nothing was changed.
  Name the key that encrypted them with --from-key, or restore the others alone with --without-unreadable`,
  );
};

/** An error amid the writes leaves what an interrupt leaves. */
const orElse = async <T>(advice: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n  ${advice}`, 1, { cause: error });
  }
};

export const restore = (options: RestoreOptions, wait: (ms: number) => Promise<unknown> = setTimeout): Promise<void> =>
  interruptible('Nothing was changed.', (advise) => restoreAll(options, wait, advise));

const restoreAll = async (
  options: RestoreOptions,
  wait: (ms: number) => Promise<unknown>,
  advise: Advise,
): Promise<void> => {
  const installation = installationOf(options.context ?? {});
  const session = await openSession(options);
  const stack = await findStack(cloudFormation(), stackOf(installation));
  const { ObjectsTable, KeyArn } = stack ? outputsOf(stack) : {};
  if (ObjectsTable === undefined || KeyArn === undefined)
    throw new CliError(`there is no installation ${installation} in ${session.region} of account ${session.account}`);
  const client = new DynamoDBClient({ ...settings, maxAttempts: 6 });
  const source = await sourceOf(client, ObjectsTable, options, advise);
  if (source === ObjectsTable) throw new CliError(`${source} is the table of the installation itself`, 2);
  const shownAgain = repeated(source, installation, session, { ...options, yes: false });
  advise(`DynamoDB goes on restoring ${source}. When it is done:  ${shownAgain}`);
  await untilActive(client, source, {
    report: (seconds) => print(`  ${source} is being restored (${seconds} s)`),
  });
  advise(
    `No object was changed. The restored table ${source} stays, and is charged for. To go on:  ${shownAgain}
To give it up:  ${deletion(source, session)}`,
  );

  const clock = systemClock;
  const table = (tableName: string) => dynamoTable({ client, tableName, clock });
  const keys = (keyId: string) => kmsKeys({ client: new KMSClient(settings), keyId, clock });
  const common = { clock, random: systemRandom, kinds: kindsOnDemand, notifier: memoryNotifier(clock) };
  const [from, to] = [underFormat(table(source), clock), underFormat(table(ObjectsTable), clock)];
  const tables = { from: from.table, to: to.table };
  const stores = {
    from: openStore({ ...common, ...from, keys: keys(options.fromKey ?? KeyArn) }),
    to: openStore({ ...common, ...to, keys: keys(KeyArn) }),
  };
  const differences = await differencesBetween({ ...stores, kinds: kindsOf(kindsOnDemand) }, options);
  print(renderDifferences(differences));
  expectReadable(differences, options.fromKey ?? KeyArn, options);
  if (!options.yes) {
    print(
      `\nNothing was changed. To write this into ${ObjectsTable}:  ${repeated(source, installation, session, { ...options, yes: true })}`,
    );
    return;
  }
  const again = repeated(source, installation, session, options);
  const unfinished = `The installation is frozen, and only some objects may be restored. Run it again before you thaw:  ${again}`;
  advise(unfinished);
  const written = await orElse(unfinished, () =>
    writeDifferences(
      { tables, stores },
      { command: again, keepNewer: options.keepNewer, now: clock.now, untilNoticed: () => wait(noticed) },
    ),
  );
  advise('All objects are written, and the installation is frozen until you run capstan thaw.');
  print(`${written} objects were written.`);
  print('Check the AWS resources that have no object, then let the controllers act again:');
  print('  capstan orphans list\n  capstan thaw');
  print(`The restored table is kept:  ${deletion(source, session)}`);
};
