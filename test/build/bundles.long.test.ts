import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadedAtOnce } from '../../bench/start.ts';
import { lambdas } from '../../cdk/lambdas/index.ts';
import { bundle } from '../../tools/bundle.mjs';

/** KB loaded at start besides the AWS SDK, and KB deployed in total. */
const limits: Record<string, { atOnce: number; all: number }> = Object.fromEntries(
  Object.entries(lambdas).map(([name, { kilobytes }]) => [name, kilobytes]),
);
const sdk = /node_modules\/(@aws-sdk|@aws-crypto|@aws|@smithy|mnemonist|obliterator|tslib)\//;
/** Lazily loaded modules: schemas and the controllers of kinds, and parsers for user input and cluster responses. */
const onDemand =
  /^kinds\/(?!ports\/cloud\/)(.*\/)?(schema[^/]*|index|controller|convert|validate)\.ts$|structural\/validate|custom\/(validation|kind-definition)|node_modules\/(re2js|@marcbachmann|yaml|ipaddr\.js|asn1js|@peculiar|ws|jsonata|jose)\//;
const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');
let out = '';
let made: Awaited<ReturnType<typeof bundle>> = {};

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'capstan-bundles-'));
  made = await bundle(out);
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('the function bundles', () => {
  it('are the listed ones', () => expect(readdirSync(out).sort()).toEqual(Object.keys(limits).sort()));

  it.each(Object.entries(limits))('%s stays within its size limit', (name, { atOnce, all }) => {
    const own = [...loadedAtOnce(made[name]!)].filter(([input]) => !sdk.test(input));
    expect(own.reduce((sum, [, bytes]) => sum + bytes, 0) / 1024).toBeLessThan(atOnce);
    const sizes = readdirSync(join(out, name)).map((file) => statSync(join(out, name, file)).size / 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(all);
  });

  it.each(Object.keys(limits))('%s loads lazily what only some of its invocations need', (name) =>
    expect([...loadedAtOnce(made[name]!).keys()].filter((input) => onDemand.test(input))).toEqual([]));

  it.each(Object.keys(limits))('%s loads in its own process, and reports missing settings', (name) => {
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
    // The guard must answer every request, so it validates that first.
    const lacks = name === 'guard' ? 'the event is none that' : 'the environment of this function is wrong';
    expect(answer.toString()).toContain(lacks);
  });

  it.each(Object.keys(limits))('%s contains nothing for local use', (name) => {
    const text = readdirSync(join(out, name)).map((file) => readFileSync(join(out, name, file), 'utf8'));
    // The simulated account and the workflow interpreter.
    expect(text.join('')).not.toMatch(/jsonata|simulation\//);
  });
});
