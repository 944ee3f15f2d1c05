/** `capstan restore`: restores earlier objects into the installation's table. */
import { type Command, InvalidArgumentError } from 'commander';
import type { RestoreOptions } from '../restore/run.ts';
import { deployment } from './aws.ts';

const moment = (text: string): Date => {
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2026-11-26T17:00:00Z.');
  if (at.getTime() > Date.now()) throw new InvalidArgumentError('It must be in the past.');
  return at;
};

export const restoreCommand = (): Command =>
  deployment('restore')
    .description(
      'Take the objects of a deployed installation back to what they were; shows what would change without --yes.',
    )
    .option('--time <time>', 'restore the table of objects as of this time into another table first', moment)
    .option('--from-table <name>', 'a table that was restored already')
    .option('--from-key <arn>', "the KMS key of that table's Secrets, where it is another than the installation's")
    .option('--keep-newer', 'keep objects that were made since then')
    .option('--without-unreadable', 'restore the others although some cannot be read and do not exist now')
    .option('--yes', 'write what differs')
    .action(async (options: RestoreOptions) => (await import('../restore/run.ts')).restore(options));
