import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { progressOf, rolloutStatus } from './rollout.ts';

const deployment = (status: object, generation = 2): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'w', generation },
  spec: { replicas: 3 },
  status: { observedGeneration: 2, ...status } as never,
});
const done = { replicas: 3, upToDateReplicas: 3, availableReplicas: 3 };

it.each([
  { rule: 'a generation that no controller has observed', object: deployment(done, 3), says: /observed/ },
  {
    rule: 'machines of the old revision',
    object: deployment({ ...done, upToDateReplicas: 1 }),
    says: /1 of 3 .*up to date/,
  },
  { rule: 'old machines that still exist', object: deployment({ ...done, replicas: 4 }), says: /1 old replicas/ },
  {
    rule: 'new machines that are not available yet',
    object: deployment({ ...done, availableReplicas: 2 }),
    says: /2 of 3 .*available/,
  },
])('a rollout waits for $rule', ({ object, says }) =>
  expect(progressOf(object)).toEqual({ isComplete: false, message: expect.stringMatching(says) }));

describe('capstan rollout status', () => {
  const run = async (of: object[], object = 'machinedeployment/w', more: object = {}) => {
    const asked: string[] = [];
    const client = {
      namespace: 'team',
      find: async (path: string) => {
        asked.push(path);
        return of.length > 1 ? of.shift() : of[0];
      },
    } as unknown as ApiClient;
    const printed: string[] = [];
    await rolloutStatus(client, object, { watch: true, ...more }, (text) => printed.push(text), 1);
    return { printed, asked };
  };

  it('prints each change once until the rollout is complete', async () => {
    const half = deployment({ ...done, upToDateReplicas: 1 });
    const { printed, asked } = await run([half, half, deployment(done)], 'md/w');
    expect(printed).toEqual([
      'machinedeployment.cluster.x-k8s.io/w: 1 of 3 replicas are up to date',
      'machinedeployment.cluster.x-k8s.io/w: successfully rolled out',
    ]);
    expect(asked[0]).toBe('/apis/cluster.x-k8s.io/v1beta2/namespaces/team/machinedeployments/w');
  });
  it('does not wait with --watch=false', async () => {
    expect((await run([deployment({})], 'md/w', { watch: false })).printed).toHaveLength(1);
  });
  it('stops at its timeout', async () => {
    await expect(run([deployment({})], 'md/w', { timeout: 0.01 })).rejects.toThrow(
      /timed out after 0.01 seconds: 0 of 3/,
    );
  });
  it.each([
    { object: 'w', says: 'is not of the form kind/name' },
    { object: 'cluster/w', says: 'cluster has no rollouts' },
  ])('rejects $object', async ({ object, says }) => {
    await expect(run([], object)).rejects.toMatchObject({ message: expect.stringContaining(says), exitCode: 2 });
  });
  it('reports an object that does not exist', async () => {
    await expect(run([])).rejects.toThrow('"w" not found in namespace team');
  });

  it.each(['Held', 'RolledBack', 'Cancelled'])('ends with the reason when its upgrade is %s', async (phase) => {
    const half = deployment({ ...done, upToDateReplicas: 1 });
    const metadata = { ...half.metadata, namespace: 'team', labels: { 'cluster.x-k8s.io/cluster-name': 'c' } };
    const answers: Record<string, object> = {
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/team/machinedeployments/w': { ...half, metadata },
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/team/clusters/c': {
        metadata: { namespace: 'team', name: 'c', annotations: { 'capstan.dev/operation': 'c-upgrade-1' } },
      },
      '/apis/capstan.dev/v1alpha1/namespaces/team/clusteroperations/c-upgrade-1': {
        metadata: { name: 'c-upgrade-1' },
        spec: { type: 'upgrade', objects: [{ kind: 'MachineDeployment', name: 'w' }] },
        status: { phase, message: 'Step Preflight was refused: no such image' },
      },
    };
    const client = { namespace: 'team', find: async (path: string) => answers[path] } as unknown as ApiClient;
    await expect(rolloutStatus(client, 'md/w', { watch: true }, () => {}, 1, 0)).rejects.toThrow(
      `ClusterOperation c-upgrade-1 is ${phase}: Step Preflight was refused: no such image`,
    );
  });
});
