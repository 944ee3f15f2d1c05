/** Rules of the AWS provider's webhooks for changes of clusters, and for identities (webhooks of 2.11). */
import { balancer, bucket, second, vpc } from './aws-cluster.ts';
import type { AcceptedHere, UpstreamRule } from './rule.ts';
import { tags } from './tags.ts';

const endpoint = { controlPlaneEndpoint: { host: 'h', port: 6443 } };
const changedCluster: Omit<UpstreamRule, 'kind'>[] = [
  {
    refuses: 'a task of garbage collection that there is not',
    stored: {},
    with: { metadata: { annotations: { 'aws.cluster.x-k8s.io/external-resource-tasks-gc': 'load-balancer,volume' } } },
    says: 'contains unsupported GC task volume',
  },
  {
    refuses: 'another region',
    stored: {},
    with: { spec: { region: 'eu-west-1' } },
    says: 'spec.region: Invalid value: "eu-west-1": field is immutable',
  },
  {
    refuses: 'to disable its load balancer',
    stored: {},
    with: balancer({ loadBalancerType: 'disabled' }),
    says: 'spec.controlPlaneLoadBalancer.loadBalancerType: Invalid value: "disabled": field is immutable',
  },
  {
    refuses: 'a load balancer where it was disabled',
    stored: balancer({ loadBalancerType: 'disabled' }),
    with: balancer({ loadBalancerType: 'nlb' }),
    says: 'spec.controlPlaneLoadBalancer.loadBalancerType: Invalid value: "nlb": field is immutable',
  },
  {
    refuses: 'another scheme',
    stored: {},
    with: balancer({ scheme: 'internal' }),
    says: 'spec.controlPlaneLoadBalancer.scheme: Invalid value: "internal": field is immutable',
  },
  {
    refuses: 'a name of its load balancer',
    stored: {},
    with: balancer({ name: 'a' }),
    says: 'spec.controlPlaneLoadBalancer.name: Invalid value: "a": field is immutable',
  },
  {
    refuses: 'another protocol of health checks',
    stored: balancer({ healthCheckProtocol: 'HTTPS' }),
    with: balancer({ healthCheckProtocol: 'TCP' }),
    says: 'spec.controlPlaneLoadBalancer.healthCheckProtocol: Invalid value: "TCP": field is immutable',
  },
  {
    refuses: 'another address family of its targets',
    stored: {},
    with: balancer({ targetGroupIPType: 'ipv4' }),
    says: 'spec.controlPlaneLoadBalancer.targetGroupIPType: Forbidden: field is immutable',
  },
  {
    refuses: 'to lose its second load balancer',
    stored: second({}),
    with: { spec: { secondaryControlPlaneLoadBalancer: null } },
    says: 'spec.secondaryControlPlaneLoadBalancer.scheme: Invalid value',
  },
  {
    refuses: 'another endpoint',
    stored: { spec: endpoint },
    with: { spec: { controlPlaneEndpoint: { host: 'other' } } },
    says: 'spec.controlPlaneEndpoint: Invalid value',
  },
  {
    refuses: 'to lose the annotation of an external manager',
    stored: { metadata: { annotations: { 'cluster.x-k8s.io/managed-by': 'other' } } },
    with: { metadata: { annotations: { 'cluster.x-k8s.io/managed-by': null } } },
    says: 'removal of externally managed annotation is not allowed',
  },
  {
    refuses: '51 tags later',
    stored: {},
    with: { spec: { additionalTags: tags(51) } },
    says: 'user created tags cannot be more than 50',
  },
];

const identity: UpstreamRule[] = [
  {
    kind: 'AWSClusterControllerIdentity',
    refuses: 'another name than default',
    with: { metadata: { name: 'other' } },
    says: 'AWSClusterControllerIdentity is a singleton and only acceptable name is default',
  },
  {
    kind: 'AWSClusterControllerIdentity',
    refuses: 'a selector of namespaces that is none',
    with: { spec: { allowedNamespaces: { selector: { matchLabels: { of: 'no value!' } } } } },
    says: 'spec.allowedNamespaces.selector: Invalid value',
  },
  {
    kind: 'AWSClusterControllerIdentity',
    refuses: 'a selector of namespaces that is none later',
    stored: {},
    with: { spec: { allowedNamespaces: { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } } } },
    says: 'spec.allowedNamespaces.selector: Invalid value',
  },
];

const role: UpstreamRule[] = [
  {
    kind: 'AWSClusterRoleIdentity',
    refuses: 'a selector of namespaces that is none',
    with: { spec: { allowedNamespaces: { selector: { matchLabels: { of: 'no value!' } } } } },
    says: 'spec.allowedNamespaces.selector: Invalid value',
  },
  {
    kind: 'AWSClusterRoleIdentity',
    refuses: 'to lose its source',
    stored: {},
    with: { spec: { sourceIdentityRef: null } },
    says: 'spec.sourceIdentityRef: Invalid value',
  },
  {
    kind: 'AWSClusterRoleIdentity',
    refuses: 'sessions of less than a quarter of an hour',
    with: { spec: { durationSeconds: 899 } },
    says: 'spec.durationSeconds',
  },
];

export const awsClusterRules: UpstreamRule[] = [
  ...changedCluster.map((rule) => ({ kind: 'AWSCluster', ...rule })),
  ...identity,
  ...role,
];

export const awsClusterAccepted: AcceptedHere[] = [
  {
    kind: 'AWSClusterControllerIdentity',
    refuses: 'any change of its spec',
    stored: {},
    with: { spec: { allowedNamespaces: { list: ['team'] } } },
    why: 'the server makes this object, so a user who wants to allow fewer namespaces must be able to edit it',
  },
  {
    kind: 'AWSCluster',
    refuses: 'letters other than those of ASCII in tags',
    with: { spec: { additionalTags: { Kostenträger: 'Müller' } } },
    why: 'AWS takes letters of every script',
  },
  {
    kind: 'AWSCluster',
    refuses: 'a region where there was none',
    stored: { spec: { region: null } },
    with: { spec: { region: 'eu-west-1' } },
    why: 'nothing is made without a region, so it may be added',
  },
  {
    kind: 'AWSCluster',
    refuses: 'to change half an endpoint',
    stored: { spec: { controlPlaneEndpoint: { host: 'h' } } },
    with: { spec: endpoint },
    why: 'nothing uses half an endpoint, so the other half may follow',
  },
  {
    kind: 'AWSCluster',
    refuses: 'another VPC',
    stored: vpc({ id: 'vpc-1' }),
    with: vpc({ id: 'vpc-2' }),
    why: 'until something is made in it, a wrong id may be mended',
  },
  {
    kind: 'AWSCluster',
    refuses: 'a protocol of health checks where there was none',
    stored: {},
    with: balancer({ healthCheckProtocol: 'HTTPS' }),
    why: 'the AWSCluster controller changes the health checks of a target group that exists',
  },
  {
    kind: 'AWSCluster',
    refuses: 'a second load balancer that is added inside',
    stored: {},
    with: second({}),
    why: 'the AWSCluster controller makes a second load balancer for a cluster that exists',
  },
  {
    kind: 'AWSCluster',
    refuses: 'to leave out the id of its VPC',
    stored: vpc({ id: 'vpc-1' }),
    with: vpc({ id: null }),
    why: 'the controller knows the VPC by its tags and fills the id in again, so `kubectl replace` of a manifest works',
  },
  {
    kind: 'AWSCluster',
    refuses: 'a bucket unless the BootstrapFormatIgnition feature is enabled',
    with: { spec: { s3Bucket: bucket } },
    why: 'it is stored and not acted on (docs/not-acted-on.md)',
  },
];
