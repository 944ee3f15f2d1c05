import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import type { Connect } from '../client.ts';
import { openServer } from '../server.fixture.ts';
import { type ConvertOptions, convertFiles } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'capstan-convert-test-'));
afterAll(() => rmSync(directory, { recursive: true }));

const unconnected: Connect = async () => {
  throw new Error('no cluster is contacted');
};
const run = async (options: ConvertOptions, input = '', connect = unconnected) => {
  const written = { output: '', errors: '' };
  const to = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const streams = { input: Readable.from([input]), output: to('output'), errors: to('errors') };
  return { code: await convertFiles(options, streams, connect), ...written };
};

const cluster = (name: string) => `apiVersion: cluster.x-k8s.io/v1alpha4
kind: Cluster
metadata:
  name: ${name}
spec: {}
`;

it('reads standard input', async () => {
  const { code, output, errors } = await run({ filename: ['-'] }, cluster('c'));
  expect(output).toContain('apiVersion: cluster.x-k8s.io/v1beta2\n');
  expect(errors).toMatch(/^Cluster\/c: apiVersion: /);
  expect(code).toBe(0);
});

it('reads the manifests of a directory, below it only with -R', async () => {
  mkdirSync(join(directory, 'below'));
  writeFileSync(join(directory, 'b.yaml'), cluster('b'));
  writeFileSync(join(directory, 'a.yml'), cluster('a'));
  writeFileSync(join(directory, 'README.md'), 'no manifest');
  writeFileSync(join(directory, 'below', 'c.json'), JSON.stringify({ apiVersion: 'v1', kind: 'Secret' }));
  const names = async (recursive: boolean) =>
    [...(await run({ filename: [directory], recursive })).output.matchAll(/name: (\w)|Secret/g)].map(([all]) => all);
  expect(await names(false)).toEqual(['name: a', 'name: b']);
  expect(await names(true)).toEqual(['name: a', 'name: b', 'Secret']);
});

it('shows the difference', async () => {
  const { output } = await run({ filename: ['-'], diff: true }, cluster('c'));
  expect(output).toContain('-apiVersion: cluster.x-k8s.io/v1alpha4\n+apiVersion: cluster.x-k8s.io/v1beta2\n');
});

it('prints objects and changes as JSON', async () => {
  const { output } = await run({ filename: ['-'], output: 'json' }, cluster('c'));
  expect(JSON.parse(output)).toMatchObject({
    items: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' }],
    changes: [{ level: 'changed', object: 'Cluster/c', path: 'apiVersion', to: 'cluster.x-k8s.io/v1beta2' }],
  });
});

it.each([
  { rule: 'nothing is named', options: {}, says: /name the manifests/ },
  { rule: 'there is no object', options: { filename: ['-'] }, says: /there is no object in the standard input/ },
  { rule: 'a file is not there', options: { filename: ['/not/there'] }, says: /cannot read \/not\/there: ENOENT/ },
  { rule: 'a kustomization is none', options: { kustomize: '/not/there' }, says: /cannot build the kustomization/ },
])('fails where $rule', async ({ options, says }) => {
  await expect(run(options)).rejects.toThrow(says);
});

it.each([
  { rule: 'a value', text: cluster('<name>') },
  { rule: 'another document', text: `${cluster('a')}---\na: [\n` },
])('prints nothing for a pipe where $rule needs a hand, unless it is asked to', async ({ text }) => {
  const { code, output, errors } = await run({ filename: ['-'] }, text);
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^error: nothing is printed: /m);
  expect((await run({ filename: ['-'], partial: true }, text)).output).toContain('kind: Cluster');
  expect((await run({ filename: ['-'], diff: true }, text)).output).toContain('v1beta2');
});

it('asks the server for a dry run with --check', async () => {
  const { client } = await openServer();
  const machine = (bootstrap: string) =>
    `{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, metadata: {name: m}, spec: {clusterName: c, bootstrap: ${bootstrap}, infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AWSMachine, name: m}}}`;
  const check = (text: string) => run({ filename: ['-'], check: true }, text, async () => client);
  expect((await check(machine('{dataSecretName: d}'))).code).toBe(0);
  const { code, errors } = await check(machine('{dataSecretName: d}').replace('name: m}', 'name: M_}'));
  expect(errors).toMatch(/^error: Machine\/M_ \(the server refuses it: .*metadata.name/m);
  expect(code).toBe(1);
  expect(await client.find('/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/m')).toBeUndefined();
});
