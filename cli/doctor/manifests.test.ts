import { expect, it } from 'vitest';
import { outcomeOf } from './check.ts';
import { checksOfManifests } from './manifests.ts';

const finding = async (apiVersion: string, kind: string) => {
  const [check] = checksOfManifests('old.yaml', [`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x}}`]);
  return outcomeOf(check!);
};

it.each([
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', level: 'ok', says: /v1beta2/ },
  { apiVersion: 'v1', kind: 'Secret', level: 'ok', says: /v1/ },
  {
    apiVersion: 'cluster.x-k8s.io/v1alpha3',
    kind: 'Cluster',
    level: 'failed',
    says: /no longer served: .*convert .*-f old.yaml \| kubectl apply -f -$/,
  },
  {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachinePool',
    level: 'failed',
    says: /^AWSMachinePool is not served by Capstan; of infrastructure.cluster.x-k8s.io it serves AWSCluster, /,
  },
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachinePool', level: 'failed', says: /^MachinePool is not served/ },
  { apiVersion: 'apps/v1', kind: 'Deployment', level: 'warning', says: /belongs into a workload cluster/ },
])('$kind in $apiVersion: $level', async ({ apiVersion, kind, level, says }) => {
  expect(await finding(apiVersion, kind)).toEqual({ level, says: expect.stringMatching(says) });
});
