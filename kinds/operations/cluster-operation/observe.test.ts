import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Reader, Where } from '../../../machinery/api/reconcile.ts';
import { controlPlanes } from '../../control-planes.ts';
import { infrastructures } from '../../infrastructures.ts';
import { observe } from './observe.ts';
import { clusterOf, contextOf, operationOf, running } from './operation.fixture.ts';

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
