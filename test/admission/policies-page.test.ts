/** The example of docs/policies.md does what the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bindings, configMaps, createAdmissionWorld, mutatingBindings, mutatingPolicies, policies } from './world.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/policies.md'), 'utf8');
const [limits, policy, binding, change, changeBinding] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text]) => text!,
);
const [answer] = [...page.matchAll(/```\n(machinedeployments[\s\S]*?)\n```/g)].map(([, text]) => text!);
const yaml = { 'content-type': 'application/yaml' };
const deployments = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments';

const deployment = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'quickstart-workers' },
  spec: {
    clusterName: 'quickstart',
    replicas: 2,
    selector: { matchLabels: { pool: 'a' } },
    template: {
      metadata: { labels: { pool: 'a' } },
      spec: {
        clusterName: 'quickstart',
        version: 'v1.35.0',
        bootstrap: { dataSecretName: 'given' },
        infrastructureRef: {
          apiGroup: 'infrastructure.cluster.x-k8s.io',
          kind: 'AWSMachineTemplate',
          name: 'quickstart-workers',
        },
      },
    },
  },
};

it('the example of the page limits the workers of a namespace', async () => {
  const { root } = createAdmissionWorld();
  for (const [path, text] of [
    [configMaps, limits],
    [policies, policy],
    [bindings, binding],
  ] as const) {
    const { status, body } = await root.send('POST', path, text, yaml);
    expect(status, body.message).toBe(201);
    if (path === policies) expect(body.status).toEqual({ observedGeneration: 1, typeChecking: {} });
  }
  expect((await root.post(deployments, deployment)).status).toBe(201);
  const scaled = await root.patch(`${deployments}/quickstart-workers/scale`, 'merge', { spec: { replicas: 50 } });
  expect(scaled.body.message).toBe(answer!.replaceAll('\n', ' '));
  const patched = await root.patch(`${deployments}/quickstart-workers`, 'merge', { spec: { replicas: 11 } });
  expect(patched.body.message).toContain('at most 10 workers, not 11');
  expect((await root.patch(`${deployments}/quickstart-workers`, 'merge', { spec: { replicas: 10 } })).status).toBe(200);
});

it('the example of the page labels the Machines of a namespace', async () => {
  const { root } = createAdmissionWorld();
  await root.patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: { 'cost-center': 'c42' } } });
  for (const [path, text] of [
    [mutatingPolicies, change],
    [mutatingBindings, changeBinding],
  ] as const) {
    const { status, body } = await root.send('POST', path, text, yaml);
    expect(status, body.message).toBe(201);
  }
  const { status, body } = await root.post('/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines', {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'host' },
    spec: deployment.spec.template.spec,
  });
  expect(status, body.message).toBe(201);
  expect(body.metadata.labels).toMatchObject({ 'cost-center': 'c42' });
});
