import { describe, expect, it } from 'vitest';
import { taintsIn } from '../../common/autoscale/declared.ts';
import { kubeletFacts } from './kubelet.ts';

type Args = Record<string, string>;
const bootstrap = (nodeRegistration: object) => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfigTemplate',
  metadata: { name: 't' },
  spec: { template: { spec: { joinConfiguration: { nodeRegistration } } } },
});
const flags = (given: Args) => ({
  kubeletExtraArgs: Object.entries(given).map(([name, value]) => ({ name, value })),
});
const none = { labels: {}, taints: [], reserved: {} };
const gpu = { key: 'gpu', value: 'a', effect: 'NoSchedule' };
const MiB = 2 ** 20;

describe('a bootstrap template', () => {
  it.each<{ rule: string; of: object | undefined; is: object }>([
    { rule: 'that is absent says nothing', of: undefined, is: none },
    { rule: 'without a node registration says nothing', of: {}, is: none },
    { rule: 'gives its taints', of: { taints: [gpu] }, is: { ...none, taints: [gpu] } },
    {
      rule: 'gives the taints of the flag instead',
      of: { taints: [gpu], ...flags({ 'register-with-taints': 'spot:NoExecute,team=x:NoSchedule' }) },
      is: {
        ...none,
        taints: [
          { key: 'spot', effect: 'NoExecute' },
          { key: 'team', value: 'x', effect: 'NoSchedule' },
        ],
      },
    },
    {
      rule: 'gives labels',
      of: flags({ 'node-labels': 'tier=batch,zone.example/x=' }),
      is: { ...none, labels: { tier: 'batch', 'zone.example/x': '' } },
    },
    {
      rule: 'gives the last value of a repeated flag',
      of: { kubeletExtraArgs: ['a=1', 'b=2'].map((value) => ({ name: 'node-labels', value })) },
      is: { ...none, labels: { b: '2' } },
    },
    {
      rule: 'reserves resources',
      of: flags({ 'kube-reserved': 'cpu=100m,memory=500Mi', 'system-reserved': 'cpu=50m,ephemeral-storage=1Gi' }),
      is: { ...none, reserved: { cpu: 150, memory: 500 * MiB, 'ephemeral-storage': 1024 * MiB } },
    },
    { rule: 'limits pods', of: flags({ 'max-pods': '30' }), is: { ...none, maxPods: 30 } },
    {
      rule: 'evicts at a threshold',
      of: flags({ 'eviction-hard': 'nodefs.available<10%,memory.available<500Mi' }),
      is: { ...none, evictionMemory: 500 * MiB },
    },
    {
      rule: 'evicts at a share of memory, which is unknown',
      of: flags({ 'eviction-hard': 'memory.available<5%' }),
      is: none,
    },
  ])('$rule', ({ of, is }) => expect(kubeletFacts(of && bootstrap(of))).toEqual(is));

  it('of another form says nothing', () =>
    expect(kubeletFacts({ apiVersion: 'x/v1', kind: 'OtherTemplate', metadata: { name: 't' }, spec: {} })).toEqual(
      none,
    ));
});

it('texts that are no taints are left out', () => expect(taintsIn('a, b=c, :NoSchedule,')).toEqual([]));
