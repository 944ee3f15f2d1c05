/** Point-in-time recovery of DynamoDB: it creates another table, without stream, TTL, tags and protection. */
import { setTimeout as wait } from 'node:timers/promises';
import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { explained } from '../aws/explain.ts';
import { type Tables, tableStatus } from '../aws/table.ts';
import { CliError } from '../errors.ts';

/** Milliseconds. A restore takes from minutes to hours. */
const pause = 10_000;

/** ISO moments without punctuation. */
const momentLength = 14;

/** How the names of all tables begin that a table was restored into. */
export const restoredPrefix = (table: string): string =>
  `${table.slice(0, 255 - momentLength - '-restored-'.length)}-restored-`;

/** A name derived from the moment, so that a repeated command continues an interrupted restore. */
export const restoredName = (table: string, at: Date): string => {
  const moment = at
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(/\D/g, '');
  return `${restoredPrefix(table)}${moment}`;
};

/** Starts a restore unless one of this name exists. */
export const beginRestore = async (tables: Tables, table: string, at: Date): Promise<string> => {
  const target = restoredName(table, at);
  if ((await tableStatus(tables, target)) !== undefined) return target;
  try {
    await tables.send(
      new RestoreTableToPointInTimeCommand({ SourceTableName: table, TargetTableName: target, RestoreDateTime: at }),
    );
    return target;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'TableAlreadyExistsException') return target;
    if (name === 'InvalidRestoreTimeException' || name === 'PointInTimeRecoveryUnavailableException')
      throw new CliError(`the table ${table} cannot be restored to ${at.toISOString()}: ${message}`, 1, {
        cause: error,
      });
    throw explained(error, { action: 'dynamodb:RestoreTableToPointInTime', what: `the table ${table}` });
  }
};

/** Resolves when the table is active; `report` receives the elapsed time. */
export const untilActive = async (
  tables: Tables,
  table: string,
  { report, every = pause }: { report: (seconds: number) => void; every?: number },
): Promise<void> => {
  const began = Date.now();
  for (;;) {
    const status = await tableStatus(tables, table);
    if (status === 'ACTIVE') return;
    if (status !== undefined && status !== 'CREATING' && status !== 'UPDATING')
      throw new CliError(`the table ${table} is ${status}, and cannot be read`);
    if (status === undefined) throw new CliError(`the table ${table} is not there`);
    report(Math.round((Date.now() - began) / 1000));
    await wait(every);
  }
};
