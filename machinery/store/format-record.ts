/**
 * The record of the stored format in the table of objects. A deployment raises it once all functions are of a version
 * that reads the format, and lowers it before any is taken back to an older version.
 */
import { ApiError } from '../api/errors.ts';
import type { Clock, ItemKey, Table } from '../ports.ts';
import { storedFormat, unrecordedFormat } from './format.ts';

const at: ItemKey = { pk: 'format', sk: 'format' };
/** Milliseconds for which a process does not read the record again to write objects. */
const readFor = 60_000;

const recordedFormat = async (table: Pick<Table, 'get'>): Promise<number> =>
  ((await table.get(at, { consistent: true }))?.format as number | undefined) ?? unrecordedFormat;

export const recordFormat = async (table: Pick<Table, 'write'>, format: number): Promise<void> => {
  await table.write({ put: { ...at, format } });
};

export const lowerFormat = async (table: Pick<Table, 'get' | 'write'>, format: number): Promise<void> => {
  if ((await recordedFormat(table)) > format) await recordFormat(table, format);
};

const newerFormat = (format: number): ApiError =>
  new ApiError(
    503,
    'ServiceUnavailable',
    `this version of Capstan is too old for what is stored: it reads stored format ${storedFormat}, and the tables have format ${format}: deploy the version that ran, or a newer one`,
  );

export interface FormattedTable {
  /** Refuses every call while the recorded format is newer than what this version reads. */
  table: Table;
  /** The format to write: every process of the installation reads it. */
  format: () => Promise<number>;
}

export const underFormat = (inner: Table, clock: Pick<Clock, 'now'>): FormattedTable => {
  let last: { format: number; at: number } | undefined;
  const read = async (): Promise<number> => {
    const format = await recordedFormat(inner);
    if (format > storedFormat) throw newerFormat(format);
    last = { format, at: clock.now() };
    return format;
  };
  // A deployment replaces the processes, so one check is enough for each.
  const checked = async (): Promise<Table> => {
    if (!last) await read();
    return inner;
  };
  return {
    table: {
      get: async (...given) => (await checked()).get(...given),
      query: async (...given) => (await checked()).query(...given),
      write: async (...given) => (await checked()).write(...given),
      transact: async (...given) => (await checked()).transact(...given),
    },
    format: async () => (last && clock.now() - last.at < readFor ? last.format : read()),
  };
};
