import { describe, expect, it } from 'vitest';
import { faultsOf } from './component.ts';
import type { Component } from './fault.ts';

type Args = Record<string, string>;
const outputs = (component: Component, minor: number, args: Args): string[] =>
  faultsOf(
    component,
    Object.entries(args).map(([name, value]) => ({ name, value })),
    minor,
  ).map(({ output }) => output);

/** For each rule, what a program takes and what it refuses: minor, flags, and the beginning of its words. */
type Case = [minor: number, args: Args];
const rules: { rule: string; component: Component; takes: Case[]; refuses: [...Case, string][] }[] = [
  {
    rule: 'flags that a release does not know',
    component: 'kube-apiserver',
    takes: [
      [37, { 'audit-log-maxage': '30', v: '2', profiling: 'false' }],
      [32, { 'cloud-provider': 'external' }],
      [31, { 'storage-initialization-timeout': '1m' }],
      [37, { audit_log_maxage: '30' }],
      // A release that the tables do not have.
      [99, { 'no-such-flag': 'x' }],
    ],
    refuses: [
      [33, { 'cloud-provider': 'external' }, 'unknown flag: --cloud-provider'],
      [33, { 'cloud-provider': '' }, 'unknown flag: --cloud-provider'],
      [26, { 'insecure-port': '0' }, 'unknown flag: --insecure-port'],
      [26, { 'no-such-flag': 'x' }, 'unknown flag: --no-such-flag'],
      [30, { 'storage-initialization-timeout': '1m' }, 'unknown flag: --storage-initialization-timeout'],
    ],
  },
  {
    rule: 'values of another type',
    component: 'kube-apiserver',
    takes: [
      [35, { profiling: 'T', 'max-requests-inflight': '0x10', 'request-timeout': '1m30s' }],
      [35, { 'audit-log-path': '' }],
    ],
    refuses: [
      [35, { profiling: 'no' }, 'invalid argument "no" for "--profiling" flag: strconv.ParseBool'],
      [35, { 'max-requests-inflight': 'many' }, 'invalid argument "many" for "--max-requests-inflight" flag'],
      [35, { 'request-timeout': '60' }, 'invalid argument "60" for "--request-timeout" flag: time: missing unit'],
      [35, { profiling: '' }, 'invalid argument "" for "--profiling" flag'],
    ],
  },
  {
    rule: 'feature gates that are gone, new, locked or malformed',
    component: 'kube-scheduler',
    takes: [
      [31, { 'feature-gates': 'ServerSideApply=true' }],
      [36, { 'feature-gates': 'SidecarContainers=true' }],
      [35, { 'feature-gates': 'UserNamespacesSupport=false' }],
      [36, { 'feature-gates': 'UserNamespacesSupport=true,AllAlpha=false' }],
      [32, { 'feature-gates': 'kube:WatchList=true' }],
      [37, { 'feature-gates': '' }],
      [36, { 'feature-gates': 'ServerSideApply=true', 'emulated-version': '1.35' }],
    ],
    refuses: [
      [32, { 'feature-gates': 'ServerSideApply=true' }, 'unrecognized feature gate: ServerSideApply'],
      [37, { 'feature-gates': 'SidecarContainers=true' }, 'unrecognized feature gate: SidecarContainers'],
      [
        36,
        { 'feature-gates': 'UserNamespacesSupport=false' },
        'cannot set feature gate UserNamespacesSupport to false',
      ],
      [27, { 'feature-gates': 'SidecarContainers=true' }, 'unrecognized feature gate: SidecarContainers'],
      [36, { 'feature-gates': 'WatchList' }, 'missing bool value for WatchList'],
      [36, { 'feature-gates': 'WatchList=on' }, 'invalid value of WatchList=on'],
    ],
  },
  {
    rule: 'cloud providers of the API server',
    component: 'kube-apiserver',
    takes: [
      [28, { 'cloud-provider': 'aws' }],
      [32, { 'cloud-provider': '' }],
    ],
    refuses: [[29, { 'cloud-provider': 'aws' }, 'unknown --cloud-provider: aws']],
  },
  {
    rule: 'cloud providers of the controller manager',
    component: 'kube-controller-manager',
    takes: [
      [26, { 'cloud-provider': 'aws' }],
      [37, { 'cloud-provider': 'external' }],
    ],
    refuses: [[27, { 'cloud-provider': 'aws' }, 'error building controller context: cloud provider']],
  },
  {
    rule: 'flags of the controller manager',
    component: 'kube-controller-manager',
    takes: [[26, { 'pod-eviction-timeout': '1m' }]],
    refuses: [[27, { 'pod-eviction-timeout': '1m' }, 'unknown flag: --pod-eviction-timeout']],
  },
  {
    rule: 'flags of the scheduler',
    component: 'kube-scheduler',
    takes: [[23, { port: '0' }]],
    refuses: [[26, { port: '0' }, 'unknown flag: --port']],
  },
  {
    rule: 'cloud providers of the kubelet',
    component: 'kubelet',
    takes: [
      [26, { 'cloud-provider': 'aws' }],
      [35, { 'cloud-provider': 'external' }],
      [34, { 'cloud-provider': 'aws' }],
    ],
    refuses: [
      [27, { 'cloud-provider': 'aws' }, 'failed to run Kubelet: could not init cloud provider "aws"'],
      [33, { 'cloud-provider': 'aws' }, 'cloud provider "aws" was specified'],
    ],
  },
  {
    rule: 'flags of the kubelet',
    component: 'kubelet',
    takes: [
      [26, { 'container-runtime': 'remote' }],
      [34, { 'pod-infra-container-image': 'pause' }],
      [33, { 'register-schedulable': 'false' }],
      [23, { 'network-plugin': 'cni' }],
      [35, { 'max-pods': '0', 'eviction-hard': 'memory.available<5%' }],
      [32, { runonce: 'true' }],
    ],
    refuses: [
      [27, { 'container-runtime': 'remote' }, 'unknown flag: --container-runtime'],
      [35, { 'pod-infra-container-image': 'pause' }, 'unknown flag: --pod-infra-container-image'],
      [34, { 'register-schedulable': 'false' }, 'unknown flag: --register-schedulable'],
      [24, { 'network-plugin': 'cni' }, 'unknown flag: --network-plugin'],
      [35, { 'max-pods': '-1' }, 'invalid configuration: maxPods'],
      [33, { runonce: 'true' }, 'invalid configuration: runOnce'],
    ],
  },
  {
    rule: 'labels that a Node may not give itself',
    component: 'kubelet',
    takes: [
      [35, { 'node-labels': 'node.kubernetes.io/pool=a,pool=b,topology.kubernetes.io/zone=z,example.com/x=' }],
      [35, { 'node-labels': 'a.kubelet.kubernetes.io/x=y,bare' }],
      [35, { 'node-labels': 'zone={{ ds.meta_data.placement.availability_zone }}' }],
      [35, { 'node-labels': '' }],
    ],
    refuses: [
      [26, { 'node-labels': 'node-role.kubernetes.io/worker=' }, "unknown 'kubernetes.io' or 'k8s.io' labels"],
      [37, { 'node-labels': 'x=y,node-restriction.kubernetes.io/x=y' }, "unknown 'kubernetes.io' or 'k8s.io' labels"],
      [35, { 'node-labels': 'sub.k8s.io/x=y' }, "unknown 'kubernetes.io' or 'k8s.io' labels"],
      [35, { 'node-labels': 'a=b=c' }, 'invalid node labels'],
      [35, { 'node-labels': '-a=b' }, 'invalid node labels'],
    ],
  },
  {
    rule: 'taints at registration',
    component: 'kubelet',
    takes: [
      [35, { 'register-with-taints': 'a=b:NoSchedule,a=b:NoExecute,c:PreferNoSchedule' }],
      [35, { 'register-with-taints': '' }],
      [35, { 'register-with-taints': 'a:NoSchedule-' }],
    ],
    refuses: [
      [
        35,
        { 'register-with-taints': 'a=b' },
        'invalid argument "a=b" for "--register-with-taints" flag: invalid taint',
      ],
      [35, { 'register-with-taints': 'a=b:Nope' }, 'invalid argument "a=b:Nope" for "--register-with-taints" flag'],
      [35, { 'register-with-taints': 'a=b=c:NoSchedule' }, 'invalid argument'],
      [35, { 'register-with-taints': 'a=b:NoSchedule,a=c:NoSchedule' }, 'invalid argument'],
    ],
  },
  {
    rule: 'admission plugins',
    component: 'kube-apiserver',
    takes: [
      [29, { 'enable-admission-plugins': 'NodeRestriction,SecurityContextDeny' }],
      [35, { 'enable-admission-plugins': 'PodNodeSelector', 'disable-admission-plugins': 'PodSecurity' }],
    ],
    refuses: [
      [26, { 'enable-admission-plugins': 'PodSecurityPolicy' }, 'enable-admission-plugins plugin "PodSecurityPolicy"'],
      [30, { 'enable-admission-plugins': 'SecurityContextDeny' }, 'enable-admission-plugins plugin'],
      [35, { 'disable-admission-plugins': 'PersistentVolumeLabel' }, 'disable-admission-plugins plugin'],
      [
        35,
        { 'enable-admission-plugins': 'PodSecurity', 'disable-admission-plugins': 'PodSecurity' },
        '[PodSecurity] in',
      ],
    ],
  },
  {
    rule: 'API versions in runtime-config',
    component: 'kube-apiserver',
    takes: [
      [37, { 'runtime-config': 'batch/v1beta1=true,api/all=true' }],
      [35, { 'runtime-config': 'scheduling.k8s.io/v1alpha1=true' }],
      [37, { 'runtime-config': 'resource.k8s.io/v1' }],
      [37, { 'runtime-config': 'v1=true' }],
    ],
    refuses: [
      [36, { 'runtime-config': 'scheduling.k8s.io/v1alpha1=true' }, 'group version scheduling.k8s.io/v1alpha1 that'],
      [36, { 'runtime-config': 'settings.k8s.io/v1alpha1=true' }, 'unknown api groups settings.k8s.io'],
      [36, { 'runtime-config': 'api/all=false' }, 'invalid runtime-config with only api/all=false'],
      [36, { 'runtime-config': 'batch/v1=maybe' }, 'invalid value of batch/v1'],
    ],
  },
  {
    rule: 'modes of authorization',
    component: 'kube-apiserver',
    takes: [[35, { 'authorization-mode': 'Node,RBAC' }]],
    refuses: [
      [35, { 'authorization-mode': 'Node,Role' }, 'authorization-mode "Role" is not a valid mode'],
      [
        35,
        { 'authorization-mode': 'RBAC,RBAC' },
        'authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
      ],
      [35, { 'authorization-mode': 'ABAC' }, "authorization-mode ABAC's"],
      [35, { 'authorization-mode': 'Webhook' }, "authorization-mode Webhook's"],
    ],
  },
  {
    rule: 'issuers of tokens',
    component: 'kube-apiserver',
    takes: [
      [35, { 'oidc-issuer-url': 'https://a.example.com', 'oidc-client-id': 'me' }],
      [30, { 'authentication-config': '/a.yaml' }],
    ],
    refuses: [
      [35, { 'oidc-issuer-url': 'https://a.example.com' }, 'oidc-issuer-url and oidc-client-id must be specified'],
      [35, { 'oidc-issuer-url': 'http://a.example.com', 'oidc-client-id': 'me' }, 'oidc-issuer-url "http://a'],
      [35, { 'authentication-config': '/a.yaml', 'oidc-client-id': 'me' }, 'authentication-config file and oidc-*'],
      [29, { 'authentication-config': '/a.yaml' }, 'set --feature-gates=StructuredAuthenticationConfiguration=true'],
    ],
  },
  {
    rule: 'a file beside flags of authorization',
    component: 'kube-apiserver',
    takes: [[32, { 'authorization-config': '/a.yaml' }]],
    refuses: [
      [32, { 'authorization-config': '/a.yaml', 'authorization-mode': 'RBAC' }, '--authorization-config can not be'],
      [29, { 'authorization-config': '/a.yaml' }, '--authorization-config can not be'],
    ],
  },
  {
    rule: 'modes of the audit log',
    component: 'kube-apiserver',
    takes: [
      [35, { 'audit-log-path': '/a.log', 'audit-log-mode': 'blocking' }],
      [35, { 'audit-webhook-mode': 'unused' }],
    ],
    refuses: [[35, { 'audit-log-path': '/a.log', 'audit-log-mode': 'slow' }, 'invalid audit log mode slow']],
  },
  {
    rule: "etcd's flags, by its own minor release",
    component: 'etcd',
    takes: [
      [5, { 'enable-v2': 'true', 'experimental-initial-corrupt-check': 'true' }],
      [6, { 'experimental-initial-corrupt-check': 'true', 'feature-gates': 'InitialCorruptCheck=true' }],
      [7, { 'snapshot-count': '10000', 'quota-backend-bytes': '8589934592' }],
      [6, { 'auto-compaction-mode': 'periodic', 'initial-cluster-state': 'existing' }],
    ],
    refuses: [
      [6, { 'enable-v2': 'true' }, 'flag provided but not defined: -enable-v2'],
      [7, { 'experimental-initial-corrupt-check': 'true' }, 'flag provided but not defined: -experimental'],
      [5, { 'feature-gates': 'InitialCorruptCheck=true' }, 'flag provided but not defined: -feature-gates'],
      [6, { 'feature-gates': 'NoSuchGate=true' }, 'unrecognized feature gate: NoSuchGate'],
      [6, { 'quota-backend-bytes': '8GiB' }, 'invalid value "8GiB" for flag -quota-backend-bytes'],
      [6, { 'auto-compaction-mode': 'daily' }, 'invalid value "daily" for flag -auto-compaction-mode'],
    ],
  },
];

describe.each(rules)('$component: $rule', ({ component, takes, refuses }) => {
  it.each(takes)('1.%i takes %j', (minor, args) => expect(outputs(component, minor, args)).toEqual([]));
  it.each(refuses)('1.%i exits on %j', (minor, args, output) =>
    expect(outputs(component, minor, args)).toEqual([expect.stringContaining(output)]));
});

it('says since when a flag is gone, and what to do', () => {
  const [fault] = faultsOf('kube-apiserver', [{ name: 'cloud-provider', value: 'external' }], 34);
  expect(`${fault!.message}: ${fault!.remedy}`).toBe(
    'there is no flag --cloud-provider (the last release with it is v1.32): remove it',
  );
});
