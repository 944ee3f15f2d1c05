import { expect, it } from 'vitest';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { checkAddOnRollout, kubeProxyPodsLeft } from './add-on-rollout.ts';

const image = (tag: string) => ({ containers: [{ name: 'kube-proxy', image: `registry/kube-proxy:${tag}` }] });
const object = (kind: string, name: string, of: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'kube-system', name, generation: 1 },
  ...of,
});
const ready = (isReady: boolean) => ({ conditions: [{ type: 'Ready', status: isReady ? 'True' : 'Unknown' }] });

interface Case {
  rule: string;
  /** Each as its Node's name; `!` for a Node that is not Ready, `+` for an updated Pod. */
  pods: string[];
  replaced?: string[];
  maxUnavailable?: number | string;
  finds: string[];
  left: number;
}

it.each<Case>([
  { rule: 'waits for nothing once every Pod is updated', pods: ['+a', '+b'], finds: [], left: 0 },
  { rule: 'waits for a Pod', pods: ['a', '+b'], finds: ['Refuse AddOnNotReady'], left: 1 },
  { rule: 'does not wait for a Node that is not Ready', pods: ['+a', '!b'], finds: [], left: 0 },
  {
    rule: 'does not wait for Pods that the Pod of a Node which is not Ready holds up',
    pods: ['a', '+b', '!c'],
    finds: ['Warn AddOnBlocked'],
    left: 0,
  },
  {
    rule: 'waits where more Pods may be unavailable',
    pods: ['a', '+b', '!c'],
    maxUnavailable: '50%',
    finds: ['Refuse AddOnNotReady'],
    left: 1,
  },
  { rule: 'does not wait for Nodes that are to be replaced', pods: ['a', '+b'], replaced: ['a'], finds: [], left: 0 },
])('$rule', ({ pods, replaced = [], maxUnavailable, finds, left }) => {
  const parsed = pods.map((text) => ({
    node: text.replace(/^[!+]/, ''),
    isUpdated: text.startsWith('+'),
    isLost: text.startsWith('!'),
  }));
  const strategy = maxUnavailable === undefined ? {} : { updateStrategy: { rollingUpdate: { maxUnavailable } } };
  const facts = {
    tags: { kubeProxy: 'v2' },
    kubeProxy: object('DaemonSet', 'kube-proxy', {
      spec: { template: { spec: image('v2') }, ...strategy },
      status: { observedGeneration: 1 },
    }),
    coreDns: undefined,
    kubeProxyPods: parsed.map(({ node, isUpdated, isLost }) =>
      object('Pod', `kube-proxy-${node}`, {
        spec: { nodeName: node, ...image(isUpdated ? 'v2' : 'v1') },
        status: ready(!isLost),
      }),
    ),
    nodes: parsed.map(({ node, isLost }) => object('Node', node, { status: ready(!isLost) })),
    replaced: new Set(replaced),
  };
  expect(checkAddOnRollout(facts as never).map(({ level, code }) => `${level} ${code}`)).toEqual(finds);
  expect(kubeProxyPodsLeft(facts as never)).toHaveLength(left);
});
