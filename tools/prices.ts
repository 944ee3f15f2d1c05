/**
 * Compiles the table of on-demand prices of EC2 instance types, `node tools/prices.ts`: it downloads
 * the data with `go mod download`, and writes kinds/infrastructure-aws/prices/table.ts. Equal data
 * gives an equal file. NOTICE holds the licence of the data.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Its version begins with the date of the data. */
const version = 'v0.0.0-20250528091325-32acf84f42eb';
const source = `github.com/cristim/ec2-instances-info@${version}`;
const to = join(import.meta.dirname, '../kinds/infrastructure-aws/prices/table.ts');

type Entry = { instance_type: string; pricing: Record<string, { linux?: { ondemand?: string } }> };

const download = (): string => {
  const answer = execFileSync('go', ['mod', 'download', '-json', source], { encoding: 'utf8' });
  return (JSON.parse(answer) as { Dir: string }).Dir;
};

/** Local and Wavelength zones are named after the region that they belong to. */
const isRegion = (name: string): boolean => /^[a-z]{2}(-[a-z]+)+-\d$/.test(name);

/** A line of types, and a line of each region with their prices in this order; '-' where none is sold. */
const tableOf = (entries: readonly Entry[]): string => {
  const regions = [...new Set(entries.flatMap(({ pricing }) => Object.keys(pricing)))].filter(isRegion).sort();
  const priceIn = ({ pricing }: Entry, region: string): number => Number(pricing[region]?.linux?.ondemand) || 0;
  const familyOf = ({ instance_type: type }: Entry) => type.split('.')[0]!;
  const sold = entries
    .filter((entry) => regions.some((region) => priceIn(entry, region) > 0))
    // Neighbours that resemble each other compress better.
    .sort((a, b) => {
      const [left, right] = [familyOf(a), familyOf(b)];
      if (left !== right) return left < right ? -1 : 1;
      const more = priceIn(a, 'us-east-1') - priceIn(b, 'us-east-1');
      return more || (a.instance_type < b.instance_type ? -1 : 1);
    });
  const rows = regions.map((region) => [region, ...sold.map((entry) => priceIn(entry, region) || '-')].join(' '));
  return [sold.map(({ instance_type: type }) => type).join(' '), ...rows].join('\n');
};

const table = tableOf(JSON.parse(readFileSync(join(download(), 'data/instances.json'), 'utf8')) as Entry[]);
const packed = brotliCompressSync(table, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 20, [constants.BROTLI_PARAM_SIZE_HINT]: table.length },
});
const [, year, month, day] = /-(\d{4})(\d{2})(\d{2})\d{6}-/.exec(version)!;
writeFileSync(
  to,
  `/** Made by tools/prices.ts from ${source.split('@')[0]}; see NOTICE. */

/** The day of these prices. */
export const tableDate = '${year}-${month}-${day}';

/** Base64 of brotli. */
export const packedTable =
  '${packed.toString('base64')}';
`,
);
console.log(`${to}: ${Math.round(packed.length / 1024)} KB, ${table.split('\n').length - 1} regions`);
