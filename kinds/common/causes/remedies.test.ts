import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Cause, causesOf, graphOf } from './index.ts';

const webhooks =
  "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o custom-columns='KIND:.kind,NAME:.metadata.name,WEBHOOKS:.webhooks[*].name'";
const file = { path: '/etc/a', contentFrom: { secret: { name: 'files', key: 'ca.crt' } } };

const object = (kind: string, message: string): KubeObject => ({
  apiVersion: 'toys.example.com/v1',
  kind,
  metadata: { name: 'one', namespace: 'team' },
  spec: { files: [file] },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Because', message }] },
});
const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'team' },
};
const first = (of: KubeObject): Cause | undefined => causesOf(of, graphOf({ objects: [cluster, of], rules: [] }))[0];

it.each([
  {
    message:
      'machines is forbidden: exceeded quota: small, requested: count/machines.cluster.x-k8s.io=2, used: count/machines.cluster.x-k8s.io=3, limited: count/machines.cluster.x-k8s.io=4',
    commands: [
      'kubectl describe resourcequota small -n team',
      `kubectl patch resourcequota small -n team --type merge -p '{"spec":{"hard":{"count/machines.cluster.x-k8s.io":"5"}}}'`,
    ],
  },
  {
    message: 'exceeded quota: spec.maxMachines of installation capstan, requested: 2 Machines, used: 3, limited: 4',
    commands: [`kubectl patch installation capstan --type merge -p '{"spec":{"maxMachines":5}}'`],
  },
  {
    message: 'exceeded quota: annotation capstan.dev/max-machines of namespace team is 4, 4 Machines exist',
    commands: ['kubectl annotate namespace team --overwrite capstan.dev/max-machines=5'],
  },
  {
    message: 'Pods stay pending: exceeded quota: count/machines.cluster.x-k8s.io of ResourceQuota small (4)',
    commands: [
      `kubectl patch resourcequota small -n team --type merge -p '{"spec":{"hard":{"count/machines.cluster.x-k8s.io":"5"}}}'`,
    ],
  },
  { message: 'admission webhook "a.example.com" denied the request: no', commands: [webhooks] },
  { message: 'Internal error occurred: failed calling webhook "a.example.com": no answer', commands: [webhooks] },
  {
    message: "ValidatingAdmissionPolicy 'small' with binding 'everywhere' denied request: no",
    commands: [
      'kubectl get validatingadmissionpolicy small -o yaml',
      'kubectl get validatingadmissionpolicybinding everywhere -o yaml',
    ],
  },
  {
    message: 'Secret files does not exist',
    commands: ['kubectl create secret generic files -n team --from-file=ca.crt=FILE'],
  },
  {
    message: 'Waiting for Secret other, which spec.identity names',
    commands: ['kubectl create secret generic other -n team --from-file=FILE'],
  },
  {
    message: 'Secret files has no key ca.crt',
    commands: [`kubectl patch secret files -n team --type merge -p '{"stringData":{"ca.crt":"VALUE"}}'`],
  },
  {
    message: 'Waiting for key a of ConfigMap settings, which spec.x names',
    commands: [`kubectl patch configmap settings -n team --type merge -p '{"data":{"a":"VALUE"}}'`],
  },
  { message: 'Secret demo-ca does not exist', commands: [] },
  { message: 'Secret demo-ca does not exist with tls.crt and tls.key', commands: [] },
  { message: 'the disk is gone', commands: [] },
])('what a user can run after "$message"', ({ message, commands }) =>
  expect(first(object('Toy', message))?.commands).toEqual(commands));

it('gives a Secret of a ClusterResourceSet the type that it must have', () =>
  expect(first(object('ClusterResourceSet', 'Secret plugin does not exist'))?.commands).toEqual([
    'kubectl create secret generic plugin -n team --type=addons.cluster.x-k8s.io/resource-set --from-file=FILE',
  ]));
