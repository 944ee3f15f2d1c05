import { expect, it } from 'vitest';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Launch } from './launch.ts';
import type { AWSMachine } from './schema.ts';
import { deleteFormer, deleteSecretValues } from './secrets.ts';

const owner = { clusterUid: 'c', clusterName: 'demo', installation: 'here', additionalTags: {} };
const machineWith = (launch: object, cloudInit = {}): AWSMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    annotations: { [launchAnnotation]: JSON.stringify({ machine: 'u', region: 'eu-west-1', ...launch }) },
  },
  spec: { instanceType: 't3.large', cloudInit },
});
const former = { prefix: 'aws.cluster.x-k8s.io/before', count: 2 };
const named = (actions: readonly object[]) =>
  actions.map((action) => (action as { input: { input: { SecretId: string } } }).input);

it('a new attempt deletes the secrets of the previous one, even after a crash in between', () => {
  const actions = deleteFormer(owner, machineWith({}), { region: 'eu-west-1', former } as Launch);
  expect(JSON.stringify(named(actions))).toMatch(/before-0.*before-1/);
  expect(deleteFormer(owner, machineWith({}), { region: 'eu-west-1' } as Launch)).toEqual([]);
});

it('the deletion of a machine deletes the secrets of both attempts', () => {
  const current = { secretPrefix: 'aws.cluster.x-k8s.io/now', secretCount: 1 };
  const text = JSON.stringify(named(deleteSecretValues('eu-west-1', owner, machineWith({ former }, current))));
  expect(text).toMatch(/before-0.*before-1.*now-0/);
  expect(deleteSecretValues('eu-west-1', owner, machineWith({ former }))).toEqual([]);
});
