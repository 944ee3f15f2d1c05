import { beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { aCluster, anOperation, named, openServer } from '../server.fixture.ts';
import { type DescribeOptions, describeCluster } from './index.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const describedWith = async (options: DescribeOptions = {}, terminal: object = {}) => {
  let printed = '';
  const out = { write: (text: string) => (printed += text), ...terminal };
  await describeCluster(server.client, 'c', options, out);
  return printed;
};

it('names missing references of a Cluster, and says that nothing has been reconciled yet', async () => {
  await server.put(aCluster());
  const printed = await describedWith();
  expect(printed).toMatch(/Cluster\/c +Available: Unknown +NotReconciledYet .*No controller has reconciled it yet/);
  expect(printed).toMatch(/ClusterInfrastructure - Infra\/c +Missing +NotFound .*Infra c does not exist/);
  expect(printed).toMatch(/ControlPlane - Plane\/c +Missing/);
});

it('ends with what is wrong', async () => {
  const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'net' };
  await server.put(aCluster({}, { infrastructureRef: reference }));
  const cause = 'Cluster c refers to AWSCluster net, which does not exist';
  expect(await describedWith()).toMatch(new RegExp(`\\n\\nCluster default/c is not well, because:\\n\\n${cause}\\n`));
  expect(JSON.parse(await describedWith({ output: 'json' }))).toMatchObject({ causes: [{ sentence: cause }] });
});

it('prints whole messages to a pipe', async () => {
  const message = `It waits ${'very '.repeat(60)}long`;
  await server.put(aCluster(named('c-create-1')));
  const step = { name: 'Network', started: '2026-01-01T00:00:00Z', verdict: 'Running' as const, message };
  await server.put(anOperation({ phase: 'Running', steps: [step] }));
  expect(await describedWith()).toContain(message);
  const shown = await describedWith({}, { isTTY: true, columns: 80 });
  expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(shown.replaceAll('\n', ' ')).toContain(message);
});

it.each(['json', 'yaml'] as const)('prints the tree as %s', async (output) => {
  await server.put(aCluster());
  expect(parse(await describedWith({ output }))).toMatchObject({
    label: 'Cluster/c',
    status: 'Available: Unknown',
    children: [{ label: 'ClusterInfrastructure - Infra/c', reason: 'NotFound' }, { reason: 'NotFound' }],
  });
});

it('reports a frozen installation', async () => {
  await server.put(aCluster());
  await server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'Installation',
    metadata: { name: 'capstan' },
    spec: {},
    status: { frozen: { id: 'abcd', reason: 'ObjectsOlder' } },
  });
  expect(await describedWith()).toMatch(/^FROZEN \(ObjectsOlder\): no controller acts/);
  expect(parse(await describedWith({ output: 'json' }))).toMatchObject({ frozen: { id: 'abcd' } });
});

it('updates until the Cluster is gone with --watch', async () => {
  await server.put(aCluster());
  let printed = '';
  const write = (text: string) => {
    if (!printed) void server.remove('Cluster', 'c');
    printed += text;
  };
  await describeCluster(server.client, 'c', { watch: true }, { write });
  expect(printed).toMatch(/^Cluster\/c .*Cluster\/c gone\n/s);
});

it('does not watch a Cluster that does not exist', async () => {
  await expect(describedWith({ watch: true })).rejects.toThrow('clusters.cluster.x-k8s.io "c" not found');
  await expect(describedWith()).rejects.toThrow('clusters.cluster.x-k8s.io "c" not found');
});
