import { describe, expect, it } from 'vitest';
import {
  a,
  ago,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  found,
  old,
  storedConfiguration,
  three,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { reconcile } from './reconcile.ts';
import { bindingsFor, rollOut } from './rollout.ts';
import { settled } from './settled.fixture.ts';

describe('a rollout', () => {
  it.each<ControlPlaneState & { rule: string; expected: string[] | undefined }>([
    { rule: 'does nothing when all machines are up to date', machines: three, expected: undefined },
    { rule: 'adds a machine within the surge', machines: [old(a), old(b), old(c)], expected: creation('kcp-xxxx0') },
    {
      rule: 'then removes an old machine',
      machines: [old(a), old(b), old(c), { name: 'd' }],
      expected: ['delete Machine a'],
    },
    {
      rule: 'waits until the new machine is healthy',
      machines: [old(a), old(b), old(c), { name: 'd', node: false }],
      expected: [],
    },
    {
      rule: 'removes a machine first without a surge',
      machines: [old(a), old(b), old(c)],
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } },
      expected: ['delete Machine a'],
    },
    {
      rule: 'without a surge keeps a machine that no other could follow',
      machines: [old(a), old(b), old(c)],
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } },
      faults: { ca: 'tls.key is not the key of tls.crt' },
      expected: [],
    },
    {
      rule: 'then adds a machine',
      machines: [old(b), old(c)],
      spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } } },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces machines cloned from another template',
      machines: [{ ...a, template: 'other' }, b, c],
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces machines older than rollout.after',
      machines: [a, b, c],
      spec: { rollout: { after: ago(15) } },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'replaces nothing before rollout.after',
      machines: [a, b, c],
      spec: { rollout: { after: ago(-15) } },
      expected: undefined,
    },
    {
      rule: 'replaces no newer machine, whatever the time zone of rollout.after',
      machines: [a, b, c],
      spec: { rollout: { after: '2026-06-01T01:00:00+02:00' } },
      expected: undefined,
    },
    {
      rule: 'replaces machines created earlier in the same second',
      machines: [c],
      spec: { rollout: { after: ago(10).replace('Z', '.5Z') } },
      expected: creation('kcp-xxxx0'),
    },
    {
      rule: 'ignores machines in deletion',
      machines: [{ ...old(a), deleting: true }, b, c],
      expected: undefined,
    },
  ])('$rule', ({ expected, ...state }) => expect(does(rollOut(controlPlaneOf(state), context()))).toEqual(expected));

  it('updates the cluster’s kubeadm configuration first', () => {
    const controlPlane = controlPlaneOf({ machines: [old(a), old(b), old(c)] });
    const data = { ClusterConfiguration: storedConfiguration('v1.34.0') };
    const live = {
      ...controlPlane.live,
      kubeadmConfig: {
        state: 'found',
        value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config' }, data },
      },
      bindings: [{ state: 'absent' }, { state: 'absent' }],
    } as typeof controlPlane.live;
    const plan = rollOut({ ...controlPlane, live }, context());
    expect(does(plan)).toEqual(['create', 'create', 'patch kubeadm-config']);
    expect(plan?.actions).toMatchObject([
      {
        input: {
          object: {
            metadata: { name: 'kubeadm:cluster-admins' },
            roleRef: { name: 'cluster-admin' },
            subjects: [{ kind: 'Group', name: 'kubeadm:cluster-admins' }],
          },
        },
      },
      {
        input: {
          object: {
            metadata: { name: 'kubeadm:apiserver-kubelet-client' },
            roleRef: { name: 'system:kubelet-api-admin' },
            subjects: [{ kind: 'User', name: 'kube-apiserver-kubelet-client' }],
          },
        },
      },
      {},
    ]);
  });

  it('adds a missing kubeadm role binding, and none once kubeadm does so everywhere', () => {
    const controlPlane = controlPlaneOf({ machines: [old(a), old(b), old(c)] });
    const present = found({ apiVersion: 'v1', kind: 'ClusterRoleBinding', metadata: { name: 'b' } });
    const acts = (...bindings: NonNullable<typeof controlPlane.live.bindings>) =>
      does(rollOut({ ...controlPlane, live: { ...controlPlane.live, bindings } }, context()));
    expect(acts({ state: 'absent' }, present)).toEqual(['create']);
    expect(acts(present, present)).toEqual(creation('kcp-xxxx0'));
    expect(acts(present, { state: 'unreadable', reason: 'timeout' })).toEqual([]);
    expect(bindingsFor('v1.37.9').map(({ metadata }) => metadata.name)).toEqual([
      'kubeadm:cluster-admins',
      'kubeadm:apiserver-kubelet-client',
    ]);
    expect(bindingsFor('v1.38.0')).toEqual([]);
  });

  it('waits while the workload cluster does not answer', () => {
    const controlPlane = controlPlaneOf({ machines: [old(a), old(b), old(c)] });
    const live = { ...controlPlane.live, kubeadmConfig: { state: 'unreadable', reason: 'timeout' } as const };
    expect(rollOut({ ...controlPlane, live }, context())).toMatchObject({ requeueAfter: 15 });
  });

  const configMapOf = (data: Record<string, string>): ControlPlane['live'] => ({
    kubeadmConfig: found({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config' }, data }),
    expiries: new Map(),
  });
  const faults: { rule: string; live: Partial<ControlPlane['live']>; says: string }[] = [
    {
      rule: 'the ConfigMap is missing',
      live: { kubeadmConfig: { state: 'absent' } },
      says: 'ConfigMap kube-system/kubeadm-config of the workload cluster does not exist, and no host joins without it',
    },
    {
      rule: 'its document cannot be parsed',
      live: configMapOf({ ClusterConfiguration: 'kind: ClusterConfiguration\n  apiServer: [broken\n' }),
      says: 'ConfigMap kube-system/kubeadm-config of the workload cluster has no valid YAML in its key ClusterConfiguration, and no host joins with it',
    },
    {
      rule: 'it has no document',
      live: configMapOf({}),
      says: 'ConfigMap kube-system/kubeadm-config of the workload cluster has no valid YAML in its key ClusterConfiguration, and no host joins with it',
    },
    {
      rule: 'its endpoint is another cluster’s',
      live: configMapOf({
        ClusterConfiguration: storedConfiguration('v1.35.0').replace('api.example.com', 'old.example.com'),
      }),
      says: 'ConfigMap kube-system/kubeadm-config of the workload cluster names the controlPlaneEndpoint old.example.com:6443, and the Cluster api.example.com:6443, and no host joins with it',
    },
    {
      rule: 'it cannot be read',
      live: { kubeadmConfig: { state: 'unreadable', reason: 'etcdserver: request timed out' } },
      says: 'ConfigMap kube-system/kubeadm-config of the workload cluster could not be read: etcdserver: request timed out',
    },
    {
      rule: 'a role binding cannot be read',
      live: { bindings: [{ state: 'unreadable', reason: 'forbidden' }, { state: 'absent' }] },
      says: 'ClusterRoleBinding kubeadm:cluster-admins of the workload cluster could not be read: forbidden',
    },
  ];
  it.each(faults)('replaces no machine and says so when $rule', ({ live, says }) => {
    const controlPlane = settled(controlPlaneOf({ machines: [old(a), old(b), old(c)] }));
    const plan = reconcile({ controlPlane: { ...controlPlane, live: { ...controlPlane.live, ...live } } }, context());
    expect(does(plan)).toEqual([]);
    expect(plan.status?.conditions?.find(({ type }) => type === 'RollingOut')?.message).toContain(
      `The next step is blocked because:\n* ${says}`,
    );
  });
});
