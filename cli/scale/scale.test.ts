import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { now, pending, running } from '../../kinds/autoscaling/plan/plan.fixture.ts';
import { inputsOf } from '../../kinds/autoscaling/scaling-plan/inputs.ts';
import { moving, object, observed } from '../../kinds/autoscaling/scaling-plan/observed.fixture.ts';
import type { Context } from '../../machinery/api/reconcile.ts';
import type { ApiClient } from '../client.ts';
import { explain, type ScaleOptions, simulate } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-scale-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const client = { namespace: 'default' } as ApiClient;

type Given = Parameters<typeof observed>[0];
const printed = async (given: Given, run: (sources: object) => Promise<void>): Promise<string> => {
  const lines: string[] = [];
  await run({
    read: async () => inputsOf(observed(given), { now, config: {} } as Context)!,
    print: (text: string) => lines.push(text),
  });
  return lines.join('\n');
};
const explained = (name: string, given: Given, options: Partial<ScaleOptions> = {}) =>
  printed(given, (sources) => explain(client, name, { cluster: 'c', ...options }, sources));
const simulated = (text: string, given: Given = {}) => {
  const filename = join(folder, 'pods.yaml');
  writeFileSync(filename, text);
  return printed(given, (sources) => simulate(client, { cluster: 'c', filename }, sources));
};

describe('explain', () => {
  const renewTime = new Date(now - 1000).toISOString();
  const lease = { state: 'found', value: object('Lease', 'cluster-autoscaler', { spec: { renewTime } }) };
  it.each<{ rule: string; name: string; given: Given; says: string }>([
    {
      rule: 'a pod that gets a node',
      name: 'default/web-1',
      given: { pods: pending(2) },
      says: '1 on new nodes of workers',
    },
    {
      rule: 'a pod that fits no pool',
      name: 'web-0',
      given: { pods: pending(1, { requests: { cpu: 64_000 } }) },
      says: 'workers: Insufficient cpu',
    },
    {
      rule: 'a pod that runs',
      name: 'a-web-0',
      given: { machines: ['a'], pods: running('a', 1) },
      says: 'runs on node a',
    },
    {
      rule: 'a pod that the scheduler did not mark',
      name: 'web-0',
      given: { pods: pending(1).map(({ unschedulable: _, ...pod }) => pod) },
      says: 'has not been marked',
    },
    {
      rule: 'a pool by its name',
      name: 'workers',
      given: { pods: pending(9) },
      says: 'workers   0-5     0          3',
    },
    { rule: 'the nodes of a pool', name: 'workers', given: { machines: ['a'] }, says: 'a: NotUnneededLongEnough: ' },
    {
      rule: 'the move of pods to a cheaper node',
      name: 'workers',
      given: moving(),
      says: 'Consolidation: Waiting: replaces a, b for $0.20 less an hour: waits for the new node',
    },
    {
      rule: 'why a node is not consolidated',
      name: 'workers',
      given: {
        machines: ['a'],
        pods: running('a', 3),
        annotations: { 'capstan.dev/autoscale-consolidate': 'true' },
      },
      says: 'is above the threshold; not consolidated: the price of its instance is unknown',
    },
    {
      rule: 'the schedule of a pool',
      name: 'workers',
      given: { annotations: { 'capstan.dev/autoscale-schedule': '0 12 * * * duration=1h min=3' } },
      says: 'Sizes by schedule: 0 12 * * * duration=1h min=3\nIts schedule changes next at 2026-11-27T13:00:00Z.',
    },
    {
      rule: 'that no entry of a schedule is active',
      name: 'workers',
      given: { annotations: { 'capstan.dev/autoscale-schedule': '0 13 * * * duration=1h min=3' } },
      says: 'No entry of its schedule is active.\nIts schedule changes next at 2026-11-27T13:00:00Z.',
    },
    {
      rule: 'the headroom of a pool',
      name: 'workers',
      given: { annotations: { 'capstan.dev/autoscale-headroom': 'pods=2 cpu=2' } },
      says: 'workers   0-5     0          1\nHeadroom: room for 2 pods.',
    },
    {
      rule: 'headroom that is missing',
      name: 'workers',
      given: { annotations: { 'capstan.dev/autoscale-headroom': 'pods=30 cpu=2' } },
      says: 'Headroom: room for 10 of 30 pods: max node group size reached',
    },
    {
      rule: 'that another autoscaler acts',
      name: 'workers',
      given: { pods: pending(9), traces: { lease } },
      says: 'Capstan writes nothing: cluster-autoscaler holds the Lease',
    },
    {
      rule: 'what a pool costs, and how that is known',
      name: 'workers',
      given: { pods: pending(9), price: { dollarsPerHour: '0.2', source: 'price table of 2025-05-28' } },
      says: '0.60\nPrice: $0.20 an hour each (price table of 2025-05-28).',
    },
    {
      rule: 'why a price is unknown',
      name: 'workers',
      given: { price: { source: 'm99.large is unknown' } },
      says: 'Price unknown: m99.large is unknown.',
    },
  ])('tells $rule', async ({ name, given, says }) => expect(await explained(name, given)).toContain(says));

  it('explains a pod alone, whatever its siblings need', async () =>
    expect(await explained('default/web-0', { pods: pending(200) })).toContain('1 on new nodes of workers'));
  it('prints the decision as JSON', async () => {
    const decision = JSON.parse(await explained('workers', { pods: pending(9) }, { output: 'json' })) as object;
    expect(decision).toMatchObject({ scale: [{ from: 0, to: 3 }] });
    expect(decision).not.toHaveProperty('history');
  });
  it('refuses another name', async () =>
    expect(explained('nope', {})).rejects.toThrow('nope is neither a pool nor a pod of cluster c'));
});

describe('simulate', () => {
  const deployment = (more = '') => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: api }
spec:
  replicas: 9
  template:
    spec:
      containers: [{ name: a, resources: { requests: { cpu: "1", memory: 1Gi } } }]
${more}`;
  it('decides for the pods of a Deployment besides those that exist', async () => {
    const text = await simulated(deployment(), { pods: pending(2) });
    expect(text).toContain('default/Deployment/api: 9 pending\n  9 on new nodes of workers');
    expect(text).toContain('default/ReplicaSet/web: 2 pending');
    expect(text).toMatch(/workers +0-5 +0 +3/);
  });
  it('tells what the new machines would cost', async () => {
    const price = { dollarsPerHour: '0.0832', zones: { 'az-a': '0.1' }, source: 'table' };
    const text = await simulated(deployment(), { machines: ['a'], price });
    expect(text).toMatch(/REPLICAS +DECIDED +\$\/H\b/);
    expect(text).toContain('The pools cost $0.2496 an hour, $0.1664 more than now.');
    expect(await simulated(deployment(), {})).not.toContain('cost');
  });
  it('decides for single pods, and tells why there is no node for them', async () => {
    const text = await simulated(`
apiVersion: v1
kind: Pod
metadata: { name: gpu, namespace: ml }
spec: { containers: [{ name: a, resources: { limits: { nvidia.com/gpu: 1 } } }] }`);
    expect(text).toContain('ml/Pod/gpu: 1 pending\n  1 get no node:\n    workers: Insufficient nvidia.com/gpu');
  });
  it.each([
    { rule: 'as many pods as a Job runs at once', spec: 'parallelism: 3', count: 3 },
    { rule: 'no more pods than a Job completes', spec: 'parallelism: 9\n  completions: 2', count: 2 },
  ])('counts $rule', async ({ spec, count }) => {
    const job = `kind: Job\nmetadata: { name: j }\nspec:\n  ${spec}\n  template: { spec: { containers: [] } }`;
    expect(await simulated(job)).toContain(`default/Job/j: ${count} pending`);
  });
  it.each([
    { rule: 'what creates no pods', text: 'kind: Service\nmetadata: { name: s }', says: 'Service s creates no pods' },
    { rule: 'what is no YAML', text: '{', says: 'is not YAML' },
    { rule: 'an empty file', text: '', says: 'contains no objects' },
  ])('refuses $rule', async ({ text, says }) => expect(simulated(text)).rejects.toThrow(says));
  it('refuses a file that it cannot read', async () =>
    expect(simulate(client, { cluster: 'c', filename: join(folder, 'none.yaml') })).rejects.toThrow('cannot read'));
});
