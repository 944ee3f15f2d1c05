import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { billOf, idlePoolsOf, type Parts, partsOf, renderBill, renderWork, totalOf, watcherOf } from './bill.ts';
import { synthesise } from './stacks.fixture.ts';

let parts: Parts;
let traced: Parts;
beforeAll(() => {
  parts = partsOf(synthesise());
  traced = partsOf(synthesise({ tracing: true }));
}, 120_000);

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

it('docs/cost.md shows the cost of the templates and of the work', () => {
  expect(page('cost.md')).toContain(renderWork());
  expect(page('cost.md')).toContain(renderBill(parts, traced));
});

it('docs/cost.md begins with an example that is right', () => {
  const [clusters, watch] = [totalOf(billOf(parts, 10)), watcherOf(parts)];
  const text = page('cost.md').replaceAll('\n', ' ');
  expect(text).toContain(`It costs $${(clusters + watch).toFixed(2)} a month: $${clusters.toFixed(2)} for`);
  expect(text).toContain(`and $${watch.toFixed(2)} for the watch. Before the first cluster it cost $5.00.`);
  expect(totalOf(billOf(parts, 0)).toFixed(2)).toBe('5.00');
});

it('docs/deployment.md shows the fixed cost and that of an open watch', () => {
  const { key, alarms } = billOf(parts, 0);
  expect(page('deployment.md')).toContain(`about $${(key + alarms).toFixed(2)} a month`);
  expect(page('deployment.md')).toContain(`open watch at most $${watcherOf(parts).toFixed(2)}.`);
});

it('README.md shows what an installation costs', () => {
  const shown = [
    `costs $${totalOf(billOf(parts, 0)).toFixed(2)} a month while idle`,
    `$${watcherOf(parts).toFixed(2)} for each watch`,
    `$${totalOf(billOf(parts, 10)).toFixed(2)} with ten clusters`,
  ];
  const text = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').replaceAll('\n', ' ');
  for (const part of shown) expect(text).toContain(part);
});

it('ten clusters without watches cost at most $13', () => expect(totalOf(billOf(parts, 10))).toBeLessThanOrEqual(13));

it('an idle cluster with pools costs an eighth once its API servers report', () => {
  expect(idlePoolsOf(parts, 'reporting')).toBeLessThanOrEqual(idlePoolsOf(parts, 'polled') / 8);
  expect(idlePoolsOf(parts, 'reporting')).toBeLessThanOrEqual(0.2);
});

it('traces cost nothing unless they are enabled', () => {
  expect(billOf(parts, 1000).traces).toBe(0);
  expect(billOf(traced, 1000).traces).toBeGreaterThan(20);
});

it('an installation without clusters costs its keys and its alarms', () => {
  const { key, alarms, ...rest } = billOf(parts, 0);
  expect(key + alarms).toBeLessThanOrEqual(5);
  expect(Object.values(rest).every((dollars) => dollars === 0)).toBe(true);
});
