/** `capstan why` names the true cause of each fault first; why.long.test.ts draws more faults. */
import { afterEach, expect, it } from 'vitest';
import { expectExplained, explained, faults } from './faults-to-explain.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World | undefined;
afterEach(() => world?.end());

it.each(faults.filter(({ isQuick }) => isQuick))('$fault', async (fault) => {
  world = await fault.draw();
  await expectExplained(world, fault);
});

const available = () => world?.condition('Cluster', 'quickstart', 'Available');

it('names no cause while a creation goes as it should', async () => {
  world = await createWorld({ workflows: true });
  const messages = new Set<string>();
  world.onCommit(({ type, object }) => {
    if (type === 'clusters.cluster.x-k8s.io' && object) messages.add(available()?.message?.split('\n')[0] ?? '');
  });
  for (const object of example('quickstart.yaml')) await world.apply(object);
  for (let minute = 0; minute < 10; minute++) {
    expect(explained(world).filter(({ level }) => level !== 'wait')).toEqual([]);
    await world.pass(1);
  }
  expect(available()?.status).toBe('True');
  expect(explained(world)).toEqual([]);
  const parts =
    /^(\* (Waiting for an operation|ClusterOperation|RemoteConnectionProbe|InfrastructureReady|ControlPlaneAvailable|WorkersAvailable)\b.*)?$/;
  expect([...messages].filter((line) => !parts.test(line))).toEqual([]);
});

it('is the first line of the Available condition, in one sentence', async () => {
  const fault = faults.find(({ fault: name }) => name === 'AWS has no capacity for a new worker')!;
  world = await fault.draw();
  const [first, second] = available()?.message?.split('\n') ?? [];
  expect(first).toMatch(/^\* AWSMachine quickstart-workers-\S+: RunInstances: InsufficientInstanceCapacity: /);
  expect(second).toBe('* WorkersAvailable:');
});

it('offers nothing about Secrets while the infrastructure was not applied', async () => {
  const fault = faults.find(({ fault: name }) => name === 'the AWSCluster was not applied')!;
  world = await fault.draw();
  expect(explained(world).flatMap(({ advice = [] }) => advice)).not.toContainEqual(expect.stringContaining('Secret'));
});
