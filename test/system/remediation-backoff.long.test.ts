/** Replacements that never come up are not repeated forever. */
import { afterEach, expect, it } from 'vitest';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
const workers = () => world.all('Machine').filter(({ metadata }) => !(controlPlaneLabel in (metadata.labels ?? {})));
const check = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check', namespace: 'default' },
  spec: {
    clusterName: 'quickstart',
    selector: { matchExpressions: [{ key: controlPlaneLabel, operator: 'DoesNotExist' }] },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 120 }] },
  },
};
const owner = (name: string) => world.condition('Machine', name, 'OwnerRemediated');
const workerSet = () => world.all('MachineSet')[0]!;
const remediations = 'capstan.dev/remediations';

it('replacements that never become Available are replaced less and less often, and then not at all', async () => {
  world = await createWorld({ from: await settledMoment('quickstart.yaml'), seed: 11 });
  await world.apply(check);
  const [first] = workers();
  const seen = new Set(workers().map(({ metadata }) => metadata.name));
  world.onCommit(({ type, name }) => type.startsWith('machines.') && seen.add(name.split('/')[1]!));
  const before = seen.size;
  world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
  const host = world.find('AWSMachine', first!.metadata.name)!;
  world.system.account.terminate(host.spec!.instanceID!);
  const isHeld = () => workers().some(({ metadata }) => owner(metadata.name)?.reason === 'RemediationHeld');
  await world.until('remediation is held', isHeld, 240);
  expect(seen.size - before).toBe(4);
  const held = workers().find(({ metadata }) => owner(metadata.name)?.reason === 'RemediationHeld')!;
  expect(owner(held.metadata.name)?.message).toContain('4 remediations in a row');
  await world.pass(90);
  expect(seen.size - before).toBe(4);
  expect(world.condition('MachineHealthCheck', 'check', 'RemediationDeferred')).toMatchObject({
    status: 'True',
    reason: 'RemediationHeld',
  });
  world.system.account.faults.clear();
  await world.until('the replacement is Available', () => isSettled(world), 60);
  await world.pass(2);
  expect(workerSet().metadata.annotations?.[remediations]).toBeUndefined();
  expect(world.condition('MachineHealthCheck', 'check', 'RemediationDeferred')).toBeUndefined();
  // Each launch that lacked capacity for half an hour is reported to the operator.
  const others = world.errors.splice(0).filter((error) => !/keep failing.*InsufficientInstanceCapacity/.test(error));
  expect(others).toEqual([]);
  expectWhole(world);
});
