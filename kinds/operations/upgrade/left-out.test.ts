import { expect, it } from 'vitest';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import { messages } from './messages.ts';
import { objectsOf, revisionIn, scopeFor, type UpgradeState } from './upgrade.fixture.ts';

const workers = (state: UpgradeState) => [
  { kind: 'MachineDeployment', name: 'a', revision: revisionIn(objectsOf(state), 'a') },
];
const targets = { 'KubeadmControlPlane/cp': { target: 'RollBack' } } as unknown as ObjectTargets;
const paused = { metadata: { generation: 2, annotations: { 'cluster.x-k8s.io/paused': '' } } };

it.each<{ rule: string; state: UpgradeState; says: string }>([
  {
    rule: 'nothing left out',
    state: { cp: { fresh: 3 }, a: { fresh: 2 } },
    says: 'Every Machine is as its spec wants it, and the cluster is Available',
  },
  {
    rule: 'a control plane that was rolled back',
    state: { cp: { old: 3 }, a: { fresh: 2 }, targets },
    says: 'What was to be upgraded is as its spec wants it, and the cluster is Available. Left out: KubeadmControlPlane cp (an earlier upgrade rolled it back). To try that again, run: capstan retry cluster demo -n default',
  },
  {
    rule: 'a control plane that is paused',
    state: { cp: { old: 3 }, a: { fresh: 2 }, changed: { cp: paused } },
    says: 'What was to be upgraded is as its spec wants it, and the cluster is Available. Left out: KubeadmControlPlane cp (it is paused, or its strategy leaves that to its user)',
  },
  {
    rule: 'a control plane that was changed afterwards',
    state: { cp: { old: 3 }, a: { fresh: 2 } },
    says: 'What was to be upgraded is as its spec wants it, and the cluster is Available. Left out: KubeadmControlPlane cp (it has changed since)',
  },
])('an upgrade of workers that succeeded names $rule', ({ state, says }) => {
  const scope = scopeFor({ ...state, spec: { objects: workers(state) } });
  expect(messages.succeeded({}, scope)).toBe(says);
});
