import { expect, it } from 'vitest';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { play, type Script } from './script.ts';

const cluster = 'c0';
const neverFreezes = { at: '', minutes: 0 };
const binding = async ({ client }: Script) =>
  JSON.stringify((await client.get('ClusterResourceSetBinding', cluster)).body);

it('completes a creation when the last add-on is applied long after everything else', () =>
  play(neverFreezes, true, async ({ client, pass, until }) => {
    const metadata = { namespace: 'default', name: 'later' };
    // Keeps the Cluster from becoming Available until a condition is set.
    const availabilityGates = [{ conditionType: 'example.com/Accepted' }];
    await client.patch('Cluster', cluster, { spec: { availabilityGates } });
    await client.apply({
      apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
      kind: 'ClusterResourceSet',
      metadata,
      spec: {
        clusterSelector: { matchLabels: { 'cloud-controller-manager': 'external' } },
        resources: [{ kind: 'ConfigMap', name: metadata.name }],
      },
    });
    let step: string | undefined;
    const look = async () => {
      const { status } = (await client.get('ClusterOperation', `${cluster}-create-1`)).body as ClusterOperation;
      step = status?.steps?.at(-1)?.name;
    };
    await until('it waits for the add-on', () => {
      void look();
      return step === 'AddOns';
    });
    await pass(20);
    const data = { manifest: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: it, namespace: kube-system }\n' };
    await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    await pass(1);
    await look();
    expect(step).toBe('Available');
  }));

it('applies add-ons again when a user deletes the record that they were applied', () =>
  play(neverFreezes, true, async (script) => {
    await script.settle();
    await script.pass(20);
    const applied = await binding(script);
    await script.client.remove('ClusterResourceSetBinding', cluster);
    await script.pass(1);
    const again = await binding(script);
    expect(again).toContain('"applied":true');
    expect(again).not.toBe(applied);
  }));
