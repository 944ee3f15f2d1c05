import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Reader, Where } from '../../../machinery/api/reconcile.ts';
import { controlPlanes } from '../../control-planes.ts';
import { infrastructures } from '../../infrastructures.ts';
import { observe } from './observe.ts';
import { clusterOf, contextOf, objectOf, operationOf, running } from './operation.fixture.ts';

const inTeam = { metadata: { namespace: 'team' } };

it('reads the Cluster in its own namespace, whatever namesakes exist', () => {
  const clusters = [clusterOf({ metadata: { uid: 'uid-of-another' } }), clusterOf(inTeam)] as KubeObject[];
  const lists: (string | undefined)[] = [];
  const reader = {
    get: (kind: string, { namespace, name }: { namespace: string; name: string }) => {
      const value = clusters.find(
        (one) => one.kind === kind && one.metadata.namespace === namespace && name === 'demo',
      );
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: (_: string, { namespace }: Where) => {
      lists.push(namespace);
      return { state: 'found', value: [] };
    },
    facts: () => ({ state: 'found', value: [] }),
    ask: () => ({ state: 'absent' }),
  } as unknown as Reader;
  const { cluster } = observe(operationOf(running('Network'), inTeam), reader, contextOf({}) as Context, {
    infrastructures,
    controlPlanes,
  });
  expect(cluster).toMatchObject({ state: 'found', value: { metadata: { namespace: 'team' } } });
  expect(new Set(lists)).toEqual(new Set(['team']));
});

it.each([
  { rule: 'as it builds it', uid: 'uid-of-demo-create-1', is: 'v1.35.2' },
  { rule: 'as its spec says, whatever a restore before it builds', uid: 'uid-of-an-earlier-one', is: 'v1.34.0' },
])('a restore judges the control plane $rule', ({ uid, is }) => {
  const restore = { operation: 'demo-restore-1', uid, step: 'Stop', version: 'v1.35.2', hosts: [] };
  const objects = [
    clusterOf({
      metadata: {
        annotations: {
          'capstan.dev/object-targets': JSON.stringify({
            'KubeadmControlPlane/demo-cp': { target: 'Restore', restore },
          }),
        },
      },
      spec: {
        controlPlaneRef: {
          apiGroup: 'controlplane.cluster.x-k8s.io',
          kind: 'KubeadmControlPlane',
          name: 'demo-cp',
        },
      },
    }),
    objectOf('KubeadmControlPlane', 'demo-cp', {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      metadata: {
        ownerReferences: [
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' },
        ],
      },
      spec: { version: 'v1.34.0' },
    }),
  ] as KubeObject[];
  const reader = {
    get: (kind: string, { name }: { name: string }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: () => ({ state: 'found', value: [] }),
    facts: () => ({ state: 'found', value: [] }),
    ask: () => ({ state: 'absent' }),
  } as unknown as Reader;
  const operation = operationOf(running('StopMembers'), { spec: { type: 'restore', snapshot: 's' } });
  const { clusterState } = observe(operation, reader, contextOf({}) as Context, { infrastructures, controlPlanes });
  expect(clusterState?.controlPlane).toMatchObject({ state: 'found', value: { spec: { version: is } } });
});
