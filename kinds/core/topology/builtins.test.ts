import { expect, it } from 'vitest';
import { clusterBuiltins } from './builtins.ts';

it("shows a Cluster's annotations without those that Capstan changes", () => {
  const annotations = {
    'example.com/team': 'a',
    'capstan.dev/topology': '{}',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const builtins = clusterBuiltins({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c', namespace: 'default', annotations },
  });
  expect(builtins).toMatchObject({ cluster: { metadata: { annotations: { 'example.com/team': 'a' } } } });
  expect(JSON.stringify(builtins)).not.toContain('{}');
});
