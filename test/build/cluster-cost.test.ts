/** docs/cluster-cost.md: list prices of what examples build, from the table of instance prices. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tableDate, tablePrice } from '../../kinds/infrastructure-aws/prices/table-price.ts';

const region = 'us-east-1';
const hours = 730;
/** Dollars an hour, and for volumes a GB and month. Source: AWS's price lists. */
const price = { natGateway: 0.045, address: 0.005, loadBalancer: 0.0225, gigabyte: 0.08 };
const zones = 3;
const rootVolume = 8;

const clusters = [
  { example: 'quickstart', machines: 3, type: 't3.large' },
  { example: 'three-zones', machines: 6, type: 't3.large' },
  { example: '3 + 7 machines', machines: 10, type: 'm5.large' },
];

const rows = clusters.map(({ example, machines, type }) => {
  const parts = [
    zones * price.natGateway * hours,
    2 * zones * price.address * hours,
    price.loadBalancer * hours,
    machines * tablePrice(region, type)! * hours,
    machines * rootVolume * price.gigabyte,
  ];
  const total = parts.reduce((sum, part) => sum + part, 0);
  return `| ${example}: ${machines} × ${type} | ${[...parts, total].map((part) => part.toFixed(0)).join(' | ')} |`;
});
const table = [
  `| cluster (machines at prices of ${tableDate}) | NAT gateways | addresses | load balancer | machines | volumes | together |`,
  '|---|---|---|---|---|---|---|',
  ...rows,
].join('\n');

const regions = ['us-east-1', 'us-west-2', 'eu-central-1', 'eu-west-1', 'ap-south-1', 'ap-northeast-1', 'sa-east-1'];
const types = ['t3.large', 'm5.large', 'm6i.xlarge', 'c6i.xlarge', 'r6i.xlarge'];
const machines = [
  `| a machine, a month | ${types.join(' | ')} |`,
  `|---|${types.map(() => '---|').join('')}`,
  ...regions.map(
    (one) => `| ${one} | ${types.map((type) => (tablePrice(one, type)! * hours).toFixed(0)).join(' | ')} |`,
  ),
].join('\n');

it.each([
  { what: 'what clusters cost', shown: table },
  { what: 'what machines cost by region', shown: machines },
])('docs/cluster-cost.md shows $what, from the prices of the table', ({ shown }) =>
  expect(readFileSync(join(import.meta.dirname, '../../docs/cluster-cost.md'), 'utf8')).toContain(shown));
