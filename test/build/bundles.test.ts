import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** KB: of what is loaded with the first event, and of all that is deployed. */
const limits: Record<string, { first: number; all: number }> = {
  api: { first: 1000, all: 1400 },
  watch: { first: 1000, all: 1400 },
  dispatch: { first: 700, all: 1300 },
  'reconcile-core': { first: 950, all: 1350 },
  'reconcile-aws': { first: 1300, all: 2500 },
  'reconcile-workload': { first: 1300, all: 1700 },
  'reconcile-gc': { first: 900, all: 1300 },
  operate: { first: 800, all: 1200 },
  executions: { first: 800, all: 1200 },
  guard: { first: 700, all: 1000 },
  instances: { first: 800, all: 2000 },
  sweep: { first: 800, all: 1200 },
};
const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');
let out = '';

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'capstan-bundles-'));
  execFileSync(node, [join(root, 'tools/bundle.mjs'), out], { stdio: ['ignore', 'ignore', 'inherit'] });
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('the functions', () => {
  it('are those that are listed', () => expect(readdirSync(out).sort()).toEqual(Object.keys(limits).sort()));

  it.each(Object.entries(limits))('%s is no larger than it was', (name, { first, all }) => {
    const sizes = readdirSync(join(out, name)).map((file) => statSync(join(out, name, file)).size / 1024);
    expect(statSync(join(out, name, 'index.mjs')).size / 1024).toBeLessThan(first);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(all);
  });

  it.each(Object.keys(limits))('%s loads in a process of its own, and says what it lacks', (name) => {
    const script = `
      const { handler } = await import(${JSON.stringify(join(out, name, 'index.mjs'))});
      const context = { awsRequestId: 'id', getRemainingTimeInMillis: () => 1000 };
      const given = { httpMethod: 'GET', path: '/', requestContext: { requestId: 'r' }, Records: [], run: 'sweep', task: 't', region: 'r',
        operation: { namespace: 'n', name: 'n', uid: 'u' },
        detail: { executionArn: 'a', name: 'n', status: 'FAILED', input: '{"operation":{"namespace":"n","name":"n"}}', 'instance-id': 'i', state: 's' } };
      const { PassThrough } = await import('node:stream');
      const call = ${JSON.stringify(name)} === 'watch' ? handler(given, new PassThrough(), context) : handler(given, context);
      await call.then(() => console.log('answered'), (error) => console.log(error.message));
    `;
    const answer = execFileSync(node, ['--input-type=module', '--eval', script], {
      env: { PATH: process.env.PATH ?? '' },
    });
    // The guard has to answer whoever asks, so it looks at that first.
    const lacks = name === 'guard' ? 'the event is none that' : 'the environment of this function is wrong';
    expect(answer.toString()).toContain(lacks);
  });

  it.each(Object.keys(limits))('%s holds nothing that is for a laptop', (name) => {
    const text = readdirSync(join(out, name)).map((file) => readFileSync(join(out, name, file), 'utf8'));
    // Of the simulated account and of the workflows' interpreter.
    expect(text.join('')).not.toMatch(/jsonata|simulation\//);
  });
});
