/** What a cluster with the data of another one never sees, by the keys and values of etcd. */
import { describe, expect, it } from 'vitest';
import { commonExclusions, exclusionOf } from '../operations/create/exclusions.ts';
import { type Exclusion, nameBelow } from '../ports/snapshots.ts';
import { awsExclusions } from './exclusions.ts';

const rules = [...commonExclusions, ...awsExclusions('shop')];
const nameIn = ({ keys }: Exclusion, key: string): string | undefined =>
  keys.map((path) => nameBelow(path.split('/'), key.split('/'))).find((name) => name !== undefined);
const excluded = (key: string, value = ''): string | undefined =>
  rules.find(
    (rule) => nameIn(rule, key) !== undefined && (!rule.values || rule.values.some((one) => value.includes(one))),
  )?.what;

/** As protobuf has spec.type of a Service, and the type of a Secret. */
const balanced = 'k8s\0…"\x0cLoadBalancer…';
const internal = 'k8s\0…"\x09ClusterIP…';
const token = 'k8s\0…\x1a\x23kubernetes.io/service-account-token';
const albIngress = '{"status":{"loadBalancer":{"ingress":[{"hostname":"k8s-a-1.eu-central-1.elb.amazonaws.com"}]}}}';

describe('a cluster with the data of another one', () => {
  it.each<[key: string, value?: string]>([
    ['minions/ip-10-0-0-1.ec2.internal'],
    ['pods/default/web-1'],
    ['leases/kube-system/cloud-controller-manager'],
    ['masterleases/10.0.0.1'],
    ['services/endpoints/default/kubernetes'],
    ['configmaps/kube-public/cluster-info'],
    ['configmaps/kube-system/extension-apiserver-authentication'],
    ['secrets/kube-system/bootstrap-token-abcdef'],
    ['secrets/default/builder', token],
    ['services/specs/default/shop', balanced],
    ['services/specs/default/shop', '{"metadata":{"finalizers":["service.kubernetes.io/load-balancer-cleanup"]}}'],
    ['persistentvolumes/pvc-1'],
    ['volumeattachments/csi-1'],
    ['snapshot.storage.k8s.io/volumesnapshotcontents/c'],
    ['elbv2.k8s.aws/targetgroupbindings/default/t'],
    ['ingress/default/web', albIngress],
    ['ingress/default/web', '{"metadata":{"finalizers":["group.ingress.k8s.aws/shared"]}}'],
    ['karpenter.sh/nodeclaims/default-1'],
    ['s3.services.k8s.aws/buckets/default/logs'],
    ['services.k8s.aws/adoptedresources/default/logs'],
    ['ec2.aws.upbound.io/vpcs/main'],
    ['deployments/kube-system/aws-load-balancer-controller', '--cluster-name=shop'],
    ['deployments/kube-system/cluster-autoscaler', 'tag=k8s.io/cluster-autoscaler/shop'],
  ])('does not see %s', (key, value) => expect(excluded(key, value)).toBeDefined());

  it.each<[key: string, value?: string]>([
    ['services/specs/default/kubernetes', internal],
    ['services/endpoints/default/web'],
    ['configmaps/kube-system/coredns'],
    ['configmaps/default/kubeadm-config'],
    ['secrets/default/password', 'k8s\0Opaque'],
    ['persistentvolumeclaims/default/data'],
    ['snapshot.storage.k8s.io/volumesnapshots/default/v'],
    ['ingress/default/web', '{"spec":{"ingressClassName":"nginx"}}'],
    ['deployments/default/web', '--cluster-name=other'],
    ['deployments/kube-system/coredns'],
    ['minionsets/a'],
    ['secrets/kube-system/my-bootstrap-token-a'],
  ])('has %s', (key, value) => expect(excluded(key, value)).toBeUndefined());

  it.each([
    ['secrets/kube-system/bootstrap-token-*', 'secrets/kube-system/bootstrap-token-a', 'bootstrap-token-a'],
    ['*.services.k8s.aws', 's3.services.k8s.aws/buckets/a', 's3.services.k8s.aws/buckets/a'],
    ['deployments/a/b', 'deployments/a/b', 'deployments/a/b'],
    ['a*a', 'a', undefined],
  ])('of %s calls %s %s', (path, key, name) => expect(nameBelow(path.split('/'), key.split('/'))).toBe(name));

  it('does not see what a user names, with everything below it', () => {
    const rule = exclusionOf('argoproj.io/applications');
    expect(
      ['argoproj.io/applications/argo/shop', 'argoproj.io/applicationsets/a', 'argoproj.io'].map((key) =>
        nameIn(rule, key),
      ),
    ).toEqual(['argo/shop', undefined, undefined]);
  });
});
