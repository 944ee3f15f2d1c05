import { beforeEach, describe, expect, it } from 'vitest';
import type { OperationStatus } from '../kinds/operations/cluster-operation/index.ts';
import { continueOperation } from './continue.ts';
import { anOperation, openServer } from './server.fixture.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const goOn = () => continueOperation(server.client, 'default', 'c-upgrade-1');
const started = '2026-01-01T00:00:00Z';
const paused: OperationStatus = {
  phase: 'Running',
  step: 'Workers',
  steps: [
    { name: 'Preflight', started, verdict: 'Succeeded' },
    { name: 'Workers', started, verdict: 'Paused' },
  ],
};
const upgrade = (status: OperationStatus, continued?: 'ControlPlane'[]) =>
  server.put(anOperation(status, { type: 'upgrade', ...(continued && { continued }) }));
const continuedNow = async () =>
  ((await server.get('ClusterOperation', 'c-upgrade-1')).spec as { continued?: string[] }).continued;

describe('capstan continue operation', () => {
  it('lets an upgrade go on with the step before which it pauses', async () => {
    await upgrade(paused);
    expect(await goOn()).toBe(
      'clusteroperation/c-upgrade-1 goes on with Workers\nSee it with: kubectl get clop -n default -w',
    );
    expect(await continuedNow()).toEqual(['Workers']);
  });

  it('keeps the steps that it went on with before', async () => {
    await upgrade(paused, ['ControlPlane']);
    await goOn();
    expect(await continuedNow()).toEqual(['ControlPlane', 'Workers']);
  });

  it.each<{ rule: string; status: OperationStatus; message: string }>([
    {
      rule: 'runs',
      status: { ...paused, steps: [{ name: 'Workers', started, verdict: 'Running' }] },
      message: 'operation c-upgrade-1 is not paused before a step: there is nothing to continue',
    },
    {
      rule: 'has ended',
      status: { ...paused, phase: 'Cancelled' },
      message: 'operation c-upgrade-1 is Cancelled already: there is nothing to continue',
    },
  ])('refuses to continue one that $rule', async ({ status, message }) => {
    await upgrade(status);
    await expect(goOn()).rejects.toMatchObject({ message, exitCode: 1 });
    expect(await continuedNow()).toBeUndefined();
  });
});
