/** The compiled prices of on-demand Linux instances. Pure. */
import { brotliDecompressSync } from 'node:zlib';
import { packedTable, tableDate } from './table.ts';

export { tableDate };

let lines: string[] | undefined;
const fieldsOf = (line: string): string[] => line.split(' ');

/** Dollars an hour on the day of the table; undefined if it does not know the type in the region. */
export const tablePrice = (region: string, instanceType: string): number | undefined => {
  lines ??= brotliDecompressSync(Buffer.from(packedTable, 'base64')).toString().split('\n');
  const [types = '', ...regions] = lines;
  const row = regions.find((line) => line.startsWith(`${region} `));
  const at = fieldsOf(types).indexOf(instanceType);
  // The first word of a row is its region.
  const price = row && at >= 0 ? Number(fieldsOf(row)[at + 1]) : Number.NaN;
  return Number.isNaN(price) ? undefined : price;
};
